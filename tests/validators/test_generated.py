"""The checked-in modules are current, light, and found again by name."""

import ast
import subprocess
import sys

import pytest

from coordhooks import resources
from coordhooks.validators import ledger
from schemas import generate

ROOT = generate.ROOT.parent


def test_nothing_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_stale_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    current = generate.modules()
    path = generate.PACKAGE / "codex_stop.py"
    monkeypatch.setattr(generate, "modules", lambda: current | {path: "something else"})
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "stale: codex_stop.py\n"


@pytest.mark.parametrize("path", generate.modules(), ids=lambda path: path.stem)
def test_a_generated_module_imports_one_small_exception(path) -> None:
    imports = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert [ast.unparse(node) for node in imports] == [
        "from coordhooks.validators.errors import ValidationError"
    ]


def test_the_ledger_has_a_table() -> None:
    assert set(ledger.VALIDATORS) == {file.stem for file in (generate.ROOT / "ledger").glob("*.json")}
    assert ledger.VALIDATORS["TaskCreated"] is ledger.validate_task_created


def test_the_hot_path_loads_no_heavy_module() -> None:
    program = f"""if True:
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from coordhooks import fastjson, stdin
        from coordhooks.validators.claude_code_pre_tool_use import validate
        from time import monotonic
        event = validate(stdin.read_document(0, deadline=monotonic() + 5))
        fastjson.dumps({{"hookSpecificOutput": event["tool_input"]}})
        heavy = {{"json", "re", "enum", "typing", "dataclasses", "functools", "collections", "jsonschema"}}
        print(sorted(heavy & set(sys.modules)), end="")
    """
    payload = (ROOT / "tests/payloads/claude_code/PreToolUse-Write.json").read_bytes()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", program],
        input=payload,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"[]", b"")


def test_resources_in_a_checkout() -> None:
    assert resources.schema_path("codex/input/Stop") == str(generate.ROOT / "codex" / "input" / "Stop.json")
    assert resources.hooks_dir() == str(ROOT / "hooks")
    with pytest.raises(FileNotFoundError, match="no schema codex/input/Nope"):
        resources.schema_path("codex/input/Nope")


def test_resources_inside_an_installed_package(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "coordhooks"
    (tmp_path / "hooks").mkdir()  # somebody else's
    monkeypatch.setattr(resources, "PACKAGE", str(package))
    (package / "_hooks").mkdir(parents=True)
    assert resources.hooks_dir() == str(package / "_hooks")
    with pytest.raises(FileNotFoundError, match="not whole"):
        resources.schema_path("codex/input/Stop")
