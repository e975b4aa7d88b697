"""The sentences that a model or a person reads. A refusal stays under 400 characters and names one next step."""

import time

from coordhooks import quoting

LIMIT = 400
Facts = dict[str, object]
HARNESSES = {"claude-code": "Claude Code", "codex": "Codex"}


def clock(at: object) -> str:
    """A time of day, as people say it."""
    return time.strftime("%H:%M", time.localtime(at)) if isinstance(at, (int, float)) else "an unknown time"


def holder_name(facts: Facts) -> str:
    return quoting.line(str(facts.get("name") or facts.get("conversation_handle") or "another agent"), 60)


def purpose(facts: Facts) -> str:
    """What the holder is doing, as quoted data; empty if it is not known."""
    said = str(facts.get("purpose") or facts.get("task") or "")
    return quoting.quoted(quoting.line(said, 70), 80) if said else ""


def about(facts: Facts) -> str:
    """Harness, label, since when and until when at the latest, in one bracket."""
    parts = [HARNESSES.get(str(facts.get("harness")), str(facts.get("harness") or "a person"))]
    if facts.get("label"):
        parts.append(quoting.line(str(facts["label"]), 24))
    if facts.get("attention_at"):
        parts.append(f"waits for its human since {clock(facts['attention_at'])}")
    else:
        parts.append(f"since {clock(facts.get('claimed_at'))}")
    parts.append(f"until {_until(facts)}")
    return ", ".join(parts)


def _until(facts: Facts) -> str:
    if facts.get("kind") in ("automatic", "call"):
        return "its turn ends"
    latest = clock(facts.get("expires_at"))
    return (
        f"its turn ends, {latest} at the latest" if facts.get("kind") == "turn" else f"{latest} at the latest"
    )


def refusal(path: str, facts: Facts, refusals: int, circle: str, lapsed: bool) -> str:
    """Why a write is refused and what to do now. ``refusals`` counts them for this path in this turn."""
    shown = quoting.line(path, 120)
    said = purpose(facts)
    text = f"Not an error: {shown} is being edited by {holder_name(facts)}"
    text += f" ({said}; {about(facts)})." if said else f" ({about(facts)})."
    if lapsed:
        text += " Your own lease on it had lapsed."
    return fit(text, circle or _step(shown, facts, refusals))


def _step(path: str, facts: Facts, refusals: int) -> str:
    if refusals >= 3:
        return (
            "Stop trying to change it, by any tool: do other work, or end your turn and report what is left."
        )
    if facts.get("attention_at"):
        return f"Go on with other work; its person has been told. `coord send {holder_name(facts)} …` leaves word."
    return (
        f"Next: run `coord wait {shell_word(path)}` in the background and go on with other work; "
        f"if you can't, ask with `coord send {holder_name(facts)} …`."
    )


def fit(text: str, step: str) -> str:
    """The step is never cut; what goes before it is."""
    room = LIMIT - len(step) - 1
    return f"{text if len(text) <= room else text[: room - 2] + '….'} {step}"


def shell_word(path: str) -> str:
    """A path as one word of a POSIX shell."""
    plain = all(char.isalnum() or char in "/._-+@%=:," for char in path)
    return path if plain and path else "'" + path.replace("'", "'\\''") + "'"


def refused_notice(path: str, facts: Facts) -> str:
    """The same for the person who watches."""
    return (
        f"coordhooks: {quoting.line(path, 120)} is held by {holder_name(facts)}; the agent was told to wait."
    )


def circle_step(held: list[str], needed_by: str) -> str:
    """For the one whose turn began later: it holds what the other needs, and the other what it wants."""
    names = ", ".join(quoting.line(name, 60) for name in held[:3])
    first = shell_word(held[0]) if held else "--all"
    return (
        f"You wait for each other: you hold {names}, which {needed_by} needs. Finish or revert that, "
        f"run `coord release {first}`, then go on."
    )


def unlanded(path: str, who: str, task: str, minutes: int) -> str:
    """For the first write into another conversation's uncommitted changes."""
    what = (
        f" ({quoting.quoted(quoting.line(task, 60), 70)}, {minutes} min ago)"
        if task
        else f" ({minutes} min ago)"
    )
    return (
        f"{quoting.line(path, 120)} has uncommitted changes by {who}{what}: "
        "re-read it, keep them, do not commit them as yours."
    )


def freed(names: list[str]) -> str:
    shown = ", ".join(quoting.line(name, 120) for name in names[:5])
    return f"Free now: {shown}. You were refused before: re-read before you edit."


def lapsed(path: str, who: str) -> str:
    """For the former holder of a lease that yielded."""
    return (
        f"Your lease on {quoting.line(path, 120)} yielded to {who}, because you had not touched it for a while. "
        "Re-read it before you edit it again."
    )
