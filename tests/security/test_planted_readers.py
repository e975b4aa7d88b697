"""A pipe or a device in the place of a file that a hook reads: nothing waits for it."""

import os
from pathlib import Path

import pytest
from hooks.world import World

from coordhooks import receipts, transcripts
from coordhooks.handlers import config_change

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs named pipes")


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "a\0b"])
def test_a_transcript_that_is_none(pipe: str, path: str) -> None:
    path = pipe if path == "pipe" else path
    if "\0" not in path:
        assert receipts.turn_tokens("claude-code", path, "t") is None
    assert transcripts.read("claude-code", path).turn_over is False


def test_settings_that_are_none(pipe: str) -> None:
    assert config_change._settings(pipe) == {}


def test_a_pipe_for_the_record_of_failures(world: World) -> None:
    a = world.agent()
    a.start()
    os.mkfifo(world.state / "problems.jsonl")
    assert not a.prompt().notice
    assert not a.write(world.repo / "src/a.py").denied
