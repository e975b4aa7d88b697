"""Makes docs/veto.svg: the screen of a real Claude Code whose write is refused, as it was drawn.

    .venv/bin/python docs/record_veto.py

Two real sessions on a scripted model in a repository of their own: one writes src/login.py and goes on working,
the other one asks for the same file.
"""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from harness import hooks  # noqa: E402
from harness.claude import ACCEPT_EDITS, Claude  # noqa: E402
from harness.fetch import CLAUDE_CODE  # noqa: E402
from harness.gate import Gate  # noqa: E402
from harness.git import make_repository  # noqa: E402
from harness.scripted_model import ScriptedModel  # noqa: E402
from harness.turn import say, write  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.text import Text  # noqa: E402

WIDTH = 160  # as the terminal of the test rig
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # would be fetched from elsewhere
SAID = "src/login.py is being edited by another agent, so I left it alone and wrote the tests first."


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        screen = refused_screen(Path(folder))
    console = Console(record=True, width=WIDTH, file=sys.stderr, force_terminal=True)
    console.print(Text(screen))
    target = ROOT / "docs" / "veto.svg"
    target.write_text(FONT.sub("", console.export_svg(title="the second agent")), encoding="utf-8")
    print(f"wrote {target.relative_to(ROOT)}")


def refused_screen(folder: Path) -> str:
    """What the second agent's terminal shows once it has gone on with other work."""
    home = folder / "home"
    home.mkdir()
    hooks.install(home)
    repo = make_repository(folder / "shop")
    target = repo / "src/login.py"
    works_on = Gate("the first agent works on")
    first = ScriptedModel(write(target, "def login(): ...\n"), say("never").after(works_on)).start()
    second = ScriptedModel(
        write(target, "def login(user): ...\n"),
        write(repo / "src/test_login.py", "def test(): ...\n"),
        say(SAID),
    ).start()
    claude = Claude(CLAUDE_CODE.path, home)
    claude.start("add rate limits to the login", model=first, cwd=repo)
    works_on.reached()
    try:
        with claude.terminal(model=second, cwd=repo, args=ACCEPT_EDITS) as terminal:
            terminal.enter("let the login take a user name, with tests")
            terminal.wait_for("wrote the tests first")
            return wrapped(terminal.text)
    finally:
        claude.close()
        first.close()
        second.close()


def wrapped(screen: str) -> str:
    """The screen from the prompt on, its long lines folded."""
    lines = screen.splitlines()
    start = next(i for i, line in enumerate(lines) if "let the login" in line)
    end = max(i for i, line in enumerate(lines) if "tests first" in line)
    return "\n".join(lines[start : end + 1])


if __name__ == "__main__":
    main()
