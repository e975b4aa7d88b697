"""One real Claude Code and one real Codex in one repository, at the same time."""

from collections.abc import Callable
from pathlib import Path

from coordhooks.store import friendly_handle
from harness.claude import BYPASS, Claude
from harness.codex import Codex
from harness.gate import Gate, until
from harness.scripted_codex import ScriptedCodex, patch, shell, update
from harness.scripted_model import ScriptedModel, all_text
from harness.turn import Json, Turn, bash, say, write


def test_each_is_refused_the_others_file_and_hears_from_the_other(
    claude: Claude,
    codex: Codex,
    script: Callable[..., ScriptedModel],
    codex_script: Callable[..., ScriptedCodex],
    installed: Path,
    repo: Path,
) -> None:
    codex.install()
    a, b = repo / "src/a.py", repo / "src/b.py"
    both_hold, both_wrote, both_refused = (
        Gate(name, 2) for name in ("hold", "wrote to each other", "refused")
    )
    codex_id: list[str] = []

    def to_codex(_body: Json) -> Turn:
        until(lambda: codex_id, "the thread of Codex")
        return bash(f"coord send {friendly_handle(codex_id[0], 'conversation')} 'greetings from Claude'")

    of_claude = script(
        write(a, "claude\n"),
        bash("true").after(both_hold),
        to_codex,
        write(b, "claude\n").after(both_wrote),
        bash("true").after(both_refused),  # what was written meanwhile is told after a call
        say("claude done"),
    )
    runs = claude.start("take a.py", model=of_claude, cwd=repo, args=BYPASS)
    name = friendly_handle(runs.session_id, "conversation")
    of_codex = codex_script(
        patch(update("src/b.py", "1", "codex")),
        shell("true").after(both_hold),
        shell(f"coord send {name} 'greetings from Codex'"),
        patch(update("src/a.py", "claude", "codex")).after(both_wrote),
        shell("true").after(both_refused),
        say("codex done"),
    )
    other = codex.start("take b.py", model=of_codex, cwd=repo)
    codex_id.append(other.session_id)
    assert (runs.wait().rc, other.wait().rc) == (0, 0)
    assert (a.read_text(), b.read_text()) == ("claude\n", "codex\n")

    refused = of_claude.tool_results()[-2].text
    assert "Not an error: src/b.py is being edited by" in refused
    assert friendly_handle(codex_id[0], "conversation") in refused
    assert "Codex" in refused
    refused = of_codex.tool_results()[-2].text
    assert "Not an error: src/a.py is being edited by" in refused
    assert name in refused
    assert "Claude Code" in refused

    assert "greetings from Codex" in all_text(of_claude.turn_bodies()[-1])
    assert "greetings from Claude" in of_codex.hook_contexts()
