"""One trial: a write of a file that another agent holds, then one of a free file; and what became of them."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.live import claude_code, codex
from coordhooks.cli.live.model import Model
from coordhooks.cli.live.process import TookTooLong, run
from coordhooks.cli.live.scratch import FREE, HELD, Scratch, scratch
from coordhooks.errors import CoordError
from coordhooks.install.places import Places

CHECK = "live"
SECONDS = 90.0  # a cold start on a busy machine takes ten
MAX_TOLD = 200
HARNESSES: tuple[Any, ...] = (claude_code, codex)


def trials(places: Places) -> Iterator[Finding]:
    """A finding for each harness: proven, or exactly what failed; one that is not installed is only told."""
    for harness in HARNESSES:
        binary = shutil.which(harness.PROGRAM, path=places.search_path)
        if binary is None:
            yield note(CHECK, f"{harness.TITLE}: no `{harness.PROGRAM}` on the PATH, so it was not tried")
        elif obstacle := harness.obstacle(places):
            yield fault(CHECK, f"{harness.TITLE}: {obstacle}")
        else:
            yield _trial(harness, places, os.path.abspath(binary))


def _trial(harness: Any, places: Places, binary: str) -> Finding:
    begun = time.monotonic()
    try:
        with scratch(places) as place, Model(harness.wire, harness.calls(place, HELD, FREE)) as model:
            words, environ = harness.command(place, binary, model.url)
            code, said = run(words, cwd=place.repo, environ=environ, seconds=SECONDS)
            failed = _failure(place, model, harness, f"exit {code}; {said}")
    except (OSError, CoordError, TookTooLong, subprocess.SubprocessError) as error:
        failed = f"the trial failed: {error}"
    took = f"{time.monotonic() - begun:.0f} s"
    if failed:
        remedy = "first whatever else is to be done here; else `coord install`, start the harness again, and try again"
        return fault(CHECK, f"{harness.TITLE}: {failed} ({binary}, {took})", remedy=remedy)
    return good(
        CHECK,
        f"{harness.TITLE}: in a scratch project and with a model of our own, a write of a held file was refused, a free one"
        f" passed ({binary}, {took})",
    )


def _failure(place: Scratch, model: Model, harness: Any, end: str) -> str:
    """What did not happen as it must; empty if all did."""
    fired, refused = place.seen(harness.NAME)
    if not model.asked:
        return f"it never asked its model, so nothing could be tried: {end}"
    if os.path.exists(place.path(HELD)):
        why = "the hooks fire, but not for this write" if fired else "no hook of ours fired"
        return f"NO VETO: it wrote a file that another agent held: {why}"
    if not refused:
        return f"the held file was not written, but not because of us: {_told(model, 0, end)}"
    if not os.path.exists(place.path(FREE)):
        return f"the veto fires, but a write that is allowed did not pass: {_told(model, 1, end)}"
    return ""


def _told(model: Model, index: int, end: str) -> str:
    """What the model was told of one of its calls."""
    return model.told[index][:MAX_TOLD] if index < len(model.told) else f"its model was never told; {end}"
