"""Any ``config.toml``: settings that the store can keep, or one refusal that names the file; never a locked door."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coordhooks import configuration
from coordhooks.configuration import BadConfiguration
from coordhooks.store import CoordStore, settings
from fuzz import examples
from fuzz.documents import plain, table
from fuzz.line import ME, Line
from fuzz.test_events import encoded, sample

numbers = (
    st.integers()
    | st.sampled_from([2**63, -(2**63) - 1, 10**400])
    | st.sampled_from([0.0, -1.0, 1e308, math.inf, -math.inf, math.nan])
)
values = st.recursive(
    st.booleans() | numbers | plain | st.sampled_from(["10m", "1d", "-5s", "1e999d", "nan", "turn", "allow"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=2),
    max_leaves=5,
)
names = st.sampled_from([*configuration.SETTINGS, "gates", "project"]) | plain
folders = st.sampled_from(["~", "~nobody", ".", "/", "", "a\x00b", "x" * 5000]) | plain


@st.composite
def files(draw: st.DrawFn) -> bytes:
    text = table("", draw(st.dictionaries(names, values, max_size=4)))
    for folder in draw(st.lists(folders, max_size=2, unique=True)):
        header = f"project.{json.dumps(folder, ensure_ascii=False).replace(chr(0x7F), '')}"
        text += table(header, draw(st.dictionaries(names, values, max_size=2)))
    return text.encode()


def compiled_or_refused(path: Path) -> dict[tuple[str, str], configuration.Value]:
    try:
        return configuration.compiled_from(str(path))
    except BadConfiguration as error:
        refusal = str(error)
    assert refusal.startswith(str(path))
    assert len(refusal) < 1000
    return {}


def valid(value: Any) -> bool:
    """Can the store keep it, and a handler count with it?"""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or -(2**63) <= value < 2**63


@examples(120)
@given(content=files() | st.binary(max_size=60))
@example(content=b"project = 1")
@example(content=b"[project]\nx = 1")
@example(content=b"[[project.x]]")
@example(content=b'[project."a\\u0000b"]\nstrict = true')
@example(content=b"yield_after = 1" + b"0" * 400)
@example(content=b"dispatch_limit = 9223372036854775808")
@example(content=b"retention = nan")
@example(content=b"yield_after = -5")
@example(content=b"gates = [1]")
@example(content=b"x = " + b"[" * 100_000)
@example(content=b"x = 1" + b"0" * 5000)
def test_any_file_is_compiled_or_refused(line: Line, content: bytes) -> None:
    path = written(line, content)
    compiled = compiled_or_refused(path)
    assert all(valid(value) for value in compiled.values())
    store = CoordStore(line.folder / "settings.sqlite3")
    with store.transaction() as tx:
        settings.drop_compiled(tx)
        for (project, name), value in compiled.items():
            settings.put(tx, project, name, value)
        for (project, name), value in compiled.items():
            assert settings.get(tx, project, name, None) == value
    store.close()


@examples(20)
@given(content=files())
def test_a_session_starts_with_any_file_and_writes_are_judged(line: Line, content: bytes) -> None:
    written(line, content)
    common = {"session_id": ME, "cwd": str(line.repo), "transcript_path": None}
    line.fire("claude-code", "SessionStart", "", encoded({**sample("claude-code", "SessionStart"), **common}))
    tool = {"tool_name": "Write", "tool_input": {"file_path": "src/a.py", "content": ""}}
    line.again(
        "claude-code",
        "PreToolUse",
        "file",
        encoded({**sample("claude-code", "PreToolUse"), **common, **tool}),
    )


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")],
    ids=["pipe", "folder", "device"],
)
def test_what_is_no_file_is_refused_and_not_waited_for(line: Line, make: Any) -> None:
    path = written(line, b"")
    path.unlink()
    make(path)
    try:
        with pytest.raises(BadConfiguration, match=r"config\.toml"):
            configuration.compiled_from(str(path))
        line.fire("claude-code", "PreToolUse", "file", b"no payload at all")
    finally:
        path.rmdir() if path.is_dir() else path.unlink()


def written(line: Line, content: bytes) -> Path:
    path = Path(os.environ["XDG_CONFIG_HOME"], "coordhooks", "config.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
