"""What transcripts say of the present: of both harnesses, with every way for a file to be odd."""

import json
import os
from pathlib import Path

import pytest

from coordhooks import transcripts
from coordhooks.transcripts import read


def said(kind: str, *blocks: object, **more: object) -> dict:
    return {"type": kind, "message": {"role": kind, "content": list(blocks)}, **more}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def result(call: str) -> dict:
    return {"type": "tool_result", "tool_use_id": call, "content": "ok"}


def event(kind: str) -> dict:
    return {"type": "event_msg", "payload": {"type": kind}}


def item(kind: str, call: str = "c1") -> dict:
    return {"type": "response_item", "payload": {"type": kind, "call_id": call}}


STOPPED = said("user", text("[Request interrupted by user]"))
SNAPSHOT = {"type": "file-history-snapshot", "snapshot": {}}


@pytest.mark.parametrize(
    ("harness", "records", "over", "ended"),
    [
        ("claude-code", [], False, set()),
        ("claude-code", [STOPPED], True, set()),
        ("claude-code", [said("user", text("[Request interrupted by user for tool use]"))], True, set()),
        ("claude-code", [said("user", result("c1"), text("[Request interrupted by user]"))], True, {"c1"}),
        ("claude-code", [STOPPED, SNAPSHOT, {"type": "system"}, {"type": "summary"}], True, set()),
        ("claude-code", [STOPPED, said("user", text("<caveat>"), isMeta=True)], True, set()),
        ("claude-code", [STOPPED, said("user", text("go on"))], False, set()),
        ("claude-code", [said("assistant", text("[Request interrupted by user] means that"))], False, set()),
        ("claude-code", [said("assistant", text("API Error"), isApiErrorMessage=True)], True, set()),
        ("claude-code", [said("assistant", text("x"), isApiErrorMessage=False)], False, set()),
        ("claude-code", [said("user", result("c1"), result("c2")), said("assistant")], False, {"c1", "c2"}),
        ("claude-code", [{"type": "user"}, {"type": "user", "message": None}], False, set()),
        ("claude-code", [{"type": "user", "message": {"content": 5}}, [], "x", 1, None], False, set()),
        ("codex", [event("task_started")], False, set()),
        ("codex", [event("task_started"), event("turn_aborted")], True, set()),
        ("codex", [event("task_started"), event("task_complete")], True, set()),
        ("codex", [event("turn_aborted"), event("token_count")], True, set()),
        ("codex", [event("turn_aborted"), event("task_started")], False, set()),
        ("codex", [item("function_call_output"), item("custom_tool_call_output", "c2")], False, {"c1", "c2"}),
        ("codex", [item("function_call")], False, set()),
        (
            "codex",
            [{"type": "response_item"}, {"payload": []}, {"type": "event_msg", "payload": {}}],
            False,
            set(),
        ),
        ("another", [STOPPED], False, set()),
        ("", [STOPPED], False, set()),
    ],
)
def test_a_transcript(tmp_path: Path, harness: str, records: list, over: bool, ended: set) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    reading = read(harness, str(path))
    assert (reading.turn_over, reading.ended_calls) == (over, ended)


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize(
    "around",
    [
        lambda last: last + b'{"type": "user", "mess',
        lambda last: last.rstrip(b"\n"),
        lambda last: b"\xff\xfe not text\n" + last,
        lambda last: b"\n\n" + last + b"\n\n",
        lambda last: last.replace(b"\n", b"\r\n"),
        lambda last: b"[" * 100_000 + b"\n" + last,
        lambda last: lines(said("user", text("x" * 2_000_000))) + last,
        lambda last: lines(*[said("assistant", text("hm"))] * 10_000) + last,
    ],
    ids=["half a line", "no line end", "no text", "empty lines", "CRLF", "deep", "a huge line", "many lines"],
)
def test_odd_files_still_say_the_last_thing(tmp_path: Path, around: object) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(around(lines(STOPPED)))
    assert read("claude-code", str(path)).turn_over


@pytest.mark.parametrize(
    "make", [lambda p: None, Path.mkdir, Path.touch, os.mkfifo, lambda p: p.symlink_to(p)]
)
def test_what_cannot_be_read_says_nothing(tmp_path: Path, make: object) -> None:
    make(tmp_path / "t.jsonl")
    reading = read("claude-code", str(tmp_path / "t.jsonl"))
    assert (reading.turn_over, reading.ended_calls) == (False, set())


def test_no_path_says_nothing() -> None:
    assert not read("claude-code", "").turn_over


def test_only_recent_calls_count(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(said("user", result("old")), *[said("assistant")] * transcripts.RECENT))
    assert read("claude-code", str(path)).ended_calls == set()
