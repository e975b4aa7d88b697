"""Secrets in payloads and in the environment are found nowhere on disk, neither in a row nor in a free page."""

import base64
from pathlib import Path

from hooks.codex_agent import CodexAgent
from hooks.world import World

SECRET = "zq7Vault9Secret-4f2b"
FORMS = (SECRET.encode(), base64.b64encode(SECRET.encode()), SECRET.encode("utf-16-le"), SECRET[4:].encode())


def test_secrets_in_payloads_are_kept_nowhere(world: World) -> None:
    world.configure("reports = false\n")
    a, b = world.pair()
    environment = {"AWS_SECRET_ACCESS_KEY": SECRET, "TOKEN": SECRET}
    a.start(env=environment)
    a.prompt(f"Deploy with password={SECRET}\nand later {SECRET}", env=environment)
    path = str(world.repo / "src/a.py")
    contents = {"file_path": path, "content": SECRET, "old_string": SECRET, "new_string": SECRET}
    for tool in ("Write", "Edit", "MultiEdit"):
        for agent in (a, b):  # one is permitted, the other refused
            agent.hook(
                "PreToolUse", tool_name=tool, tool_input=contents, env=environment, tool_use_id=f"c-{tool}"
            )
    a.hook("PostToolUse", tool_input=contents, tool_response={"content": SECRET}, tool_use_id="c-Write")
    a.bash(f"curl -H 'Authorization: {SECRET}' https://localhost; echo {SECRET} > src/b.py", env=environment)
    a.hook("PreToolUse", tool_name="mcp__db__write", tool_input={"path": path, "dsn": SECRET})
    a.hook("PostToolUseFailure", error=SECRET)
    a.hook("Notification", message=SECRET)
    a.hook("PermissionRequest", tool_input={"command": SECRET})
    a.hook("PreToolUse", tool_input=SECRET)  # can't be read, so it is recorded
    a.hook("PreToolUse", stdin=b'{"broken": "' + SECRET.encode())
    a.stop(last_assistant_message=SECRET)
    codex = CodexAgent(world)
    codex.patch(f"*** Update File: {path}", "@@", f"+{SECRET}")
    codex.shell(f"psql postgres://u:{SECRET}@localhost/x")
    a.hook("SessionEnd")
    assert (world.state / "ledger" / "events.jsonl").stat().st_size > 0
    assert found(world.state) == []


def found(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "coord.sqlite3" for path in files)
    return [str(path) for path in files if any(form in path.read_bytes() for form in FORMS)]


def test_the_search_finds_what_is_there(world: World) -> None:
    a, _ = world.pair()
    a.write(world.repo / SECRET)  # a path is no secret: it is what a lease is about
    assert found(world.state)
