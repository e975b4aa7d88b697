"""What a newcomer does in a fresh Debian: clone, install, be refused, uninstall. Argument: the source.

Runs there, with that system's own Python and nothing else; whatever is not as it should be is an AssertionError.
"""

import json
import os
import subprocess
import sys

HOME = os.environ["HOME"]
CLONE, REPO = f"{HOME}/coord hooks", f"{HOME}/shop"
COORD = f"{HOME}/.local/bin/coord"
SETTINGS = f"{HOME}/.claude/settings.json"


def run(*command: str, cwd: str = HOME, payload: object = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        input="" if payload is None else json.dumps(payload),
    )  # fmt: skip
    assert done.returncode == 0, (command, done.returncode, done.stdout)
    return done.stdout


def tree() -> list[tuple[object, ...]]:
    """Every file and folder of the home: name, mode, size of a file, where a link leads."""
    found = []
    for folder, folders, files in os.walk(HOME):
        for name in folders + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            size = status.st_size if name in files else 0
            found.append((path, status.st_mode, size, os.path.islink(path) and os.readlink(path)))
    return sorted(found, key=str)


def written(name: str) -> str:
    """What the installed hook answers to Claude Code that is about to write a file."""
    with open(SETTINGS, encoding="utf-8") as file:
        groups = json.load(file)["hooks"]["PreToolUse"]
    [entry] = [group["hooks"][0] for group in groups if "Write" in group["matcher"]]
    payload = {
        "session_id": "s", "transcript_path": "", "cwd": REPO, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_use_id": "t", "tool_input": {"file_path": f"{REPO}/{name}", "content": ""},
    }  # fmt: skip
    return run(entry["command"], *entry["args"], cwd=REPO, payload=payload)


def main(source: str) -> None:
    run("git", "clone", "--quiet", source, CLONE)
    run("git", "init", "--quiet", REPO)
    before = tree()

    print(run(f"{CLONE}/install.sh"))
    run(COORD, "claim", "held.py", cwd=REPO)  # a person holds it
    refusal = json.loads(written("held.py"))["hookSpecificOutput"]
    assert refusal["permissionDecision"] == "deny", refusal
    assert "held.py is" in refusal["permissionDecisionReason"], refusal
    assert written("free.py") == ""
    assert run(f"{CLONE}/install.sh").endswith("nothing to change\n")

    print(run(f"{CLONE}/install.sh", "--uninstall", "--purge"))
    after = tree()
    assert after == before, sorted(set(after) ^ set(before), key=str)


main(*sys.argv[1:])
