"""No shell ever reads a payload: one place starts a shell, for a command of the user's own settings."""

import ast
from pathlib import Path

from hooks.world import World

PACKAGE = Path(__file__).parents[2] / "coordhooks"
STARTERS = {
    "run",
    "Popen",
    "call",
    "check_call",
    "check_output",
    "system",
    "popen",
    "getoutput",
    "getstatusoutput",
}
SHELLS = {"/bin/sh", "sh", "bash", "/bin/bash"}


def starts_a_shell(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in STARTERS:
        return False
    if name in ("system", "popen", "getoutput", "getstatusoutput"):
        return True
    first = call.args[0].elts[:1] if call.args and isinstance(call.args[0], ast.List) else []
    by_name = any(isinstance(word, ast.Constant) and word.value in SHELLS for word in first)
    return by_name or any(keyword.arg == "shell" for keyword in call.keywords)


def test_only_a_quality_gate_starts_a_shell() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and starts_a_shell(node)
    }
    assert found == {"cli/gates.py"}


def test_a_payload_full_of_commands_runs_none(world: World) -> None:
    trap = f"$(touch {world.home}/owned)`touch {world.home}/owned`; touch {world.home}/owned #'\""
    a, b = world.pair()
    a.prompt(trap)
    a.bash(trap)
    a.bash(f"coord status {trap}")
    for agent in (a, b):
        agent.write(world.repo / "src/a.py", agent_type=trap, tool_use_id=trap)
        agent.write(str(world.repo / "src") + "/" + trap[:60].replace("/", "_"))
    a.hook("PreToolUse", tool_name=f"mcp__{trap}__write", tool_input={"path": trap})
    a.stop(last_assistant_message=trap)
    assert not (world.home / "owned").exists()
