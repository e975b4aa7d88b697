"""One document arrives, however the harness writes it; anything else is a BadPayload that quotes nothing."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coordhooks import stdin
from coordhooks.errors import BadPayload
from coordhooks.fastjson import dumps

WRITE = {
    "session_id": "sess-A",
    "cwd": "/home/dev/src",
    "hook_event_name": "PreToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/home/dev/src/café.py", "content": "x"},
}
NESTED = "the payload can't be parsed: JSON is nested too deeply"
BOM = b"\xef\xbb\xbf"
Pipe = Callable[..., int]


def utf8(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Makes a pipe that is fed with chunks; its write end is closed after them unless ``stay_open``."""
    read_ends: list[int] = []
    kept_open: list[int] = []
    writers: list[Thread] = []

    def make(*chunks: bytes, stay_open: bool = False, pause: float = 0) -> int:
        read_end, write_end = os.pipe()
        read_ends.append(read_end)
        writers.append(Thread(target=_feed, args=(write_end, chunks, stay_open, pause)))
        writers[-1].start()
        if stay_open:
            kept_open.append(write_end)
        return read_end

    yield make
    for end in read_ends:  # this frees a writer that nobody listens to any more
        os.close(end)
    for writer in writers:
        writer.join(10)
    for end in kept_open:
        os.close(end)


def _feed(end: int, chunks: tuple[bytes, ...], stay_open: bool, pause: float) -> None:
    try:
        for chunk in chunks:
            os.write(end, chunk)
            time.sleep(pause)
    except BrokenPipeError:
        pass
    if not stay_open:
        os.close(end)


def read(fd: int, **limits: float) -> object:
    return stdin.read_document(fd, deadline=time.monotonic() + limits.pop("seconds", 20), **limits)


def test_a_closed_pipe(pipe: Pipe) -> None:
    assert read(pipe(utf8(WRITE))) == WRITE


@pytest.mark.parametrize("end", [b"", b"\n", b" \r\n\t"])
def test_a02_a_pipe_that_stays_open(pipe: Pipe, end: bytes) -> None:
    begun = time.monotonic()
    assert read(pipe(utf8(WRITE) + end, stay_open=True), inactivity=15) == WRITE
    assert time.monotonic() - begun < 2


def test_a02_white_space_that_comes_late(pipe: Pipe) -> None:
    assert read(pipe(utf8(WRITE), b"\n", stay_open=True, pause=0.01), inactivity=15) == WRITE


@pytest.mark.parametrize("sent", [b"", b" \n", BOM, BOM + BOM + b"\n"])
@pytest.mark.parametrize("stay_open", [False, True])
def test_a01_a04_nothing_at_all(pipe: Pipe, sent: bytes, stay_open: bool) -> None:
    chunks = [sent] if sent else []
    with pytest.raises(BadPayload, match=r"^the payload is empty$"):
        read(pipe(*chunks, stay_open=stay_open), inactivity=0.1)


def test_a01_stdin_that_is_closed_or_a_folder(tmp_path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(BadPayload, match="can't be read: Is a directory"):
            read(folder)
    finally:
        os.close(folder)
    with pytest.raises(BadPayload, match="can't be read: Bad file descriptor"):
        read(folder)


@pytest.mark.parametrize("marks", [BOM, BOM + BOM, BOM + b"\r\n" + BOM])
def test_a04_byte_order_marks_are_dropped_in_front_only(pipe: Pipe, marks: bytes) -> None:
    payload = WRITE | {"prompt": "\ufeff kept"}
    assert read(pipe(marks + utf8(payload))) == payload


def test_a05_a_lone_surrogate_is_read_and_can_be_written(pipe: Pipe) -> None:
    document = read(pipe(b'{"content":"\\ud83d half an emoji"}'))
    assert dumps(document) == '{"content":"\\ud83d half an emoji"}'


@pytest.mark.parametrize("letter", ["x", "é", "}", "}\n", '"'], ids=repr)
def test_a12_eight_mebibytes(pipe: Pipe, letter: str) -> None:
    payload = WRITE | {"tool_input": {"content": letter * (8 * 1024 * 1024)}}
    sent = utf8(payload)
    chunks = [sent[start : start + 65536] for start in range(0, len(sent), 65536)]
    begun = time.process_time()
    document = read(pipe(*chunks, stay_open=True), inactivity=15)
    assert time.process_time() - begun < 1
    assert document == payload


def test_a12_brackets_that_end_every_chunk_cost_no_quadratic_time(pipe: Pipe) -> None:
    chunks = [b'{"content":"', *[b"}" * 4096] * 300, b'"}']
    begun = time.process_time()
    assert read(pipe(*chunks, stay_open=True, pause=0.0005)) == {"content": "}" * 4096 * 300}
    assert time.process_time() - begun < 1


def test_more_than_the_limit(pipe: Pipe) -> None:
    with pytest.raises(BadPayload, match="larger than 1000 bytes"):
        read(pipe(b'"', b"x" * 1000, stay_open=True), limit=1000)


@pytest.mark.parametrize("document", [b"%s", b'{"a":%s}'])
def test_a13_deep_nesting(pipe: Pipe, document: bytes) -> None:
    for depth in (5000, 200_000):  # how deep is too deep depends on the Python
        told = NESTED
        try:
            read(pipe(document % (b"[" * depth + b"]" * depth)))
        except BadPayload as error:
            told = str(error)
        assert told == NESTED


@pytest.mark.parametrize(
    "sent", [b"SECRET", b"SECRET}", b'{"a":SECRET}', b'{"SECRET" 1}', BOM + b"SECRET]", b'{"a":NaN}']
)
def test_garbage_is_named_and_not_quoted(pipe: Pipe, sent: bytes) -> None:
    with pytest.raises(BadPayload, match="can't be parsed: ") as caught:
        read(pipe(sent))
    assert "SECRET" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("sent", [b'{"a":"SECRET', b'{"a":{"b":1}', b"[1,", b'{"a":tru'])
@pytest.mark.parametrize("stay_open", [False, True])
def test_a_document_cut_short(pipe: Pipe, sent: bytes, stay_open: bool) -> None:
    with pytest.raises(BadPayload, match=f"^the payload is cut short after {len(sent)} bytes$"):
        read(pipe(sent, stay_open=stay_open), inactivity=0.1)


@pytest.mark.parametrize(
    "sent",
    ['{"a":"é"}'.encode("latin-1"), '{"a":1}'.encode("utf-16"), b'{"a":"\xed\xa0\x80"}', b'{"a":"\xc3'],
)
def test_bytes_that_are_not_utf8(pipe: Pipe, sent: bytes) -> None:
    with pytest.raises(BadPayload, match=r"^the payload is not UTF-8$"):
        read(pipe(sent))


def test_the_deadline_ends_a_trickle(pipe: Pipe) -> None:
    begun = time.monotonic()
    with pytest.raises(BadPayload, match="cut short"):
        read(pipe(*[b"["] * 20, stay_open=True, pause=0.05), seconds=0.3)
    assert time.monotonic() - begun < 0.9


def test_what_follows_the_document_is_not_looked_at(pipe: Pipe) -> None:
    assert read(pipe(b'{"a":1}', b"SECRET")) == {"a": 1}
    assert read(pipe(b'{"a":1}{"a":2}')) == {"a": 1}


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.dictionaries(st.text(), st.lists(st.text() | st.integers() | st.none())),
    cuts=st.lists(st.integers(0, 200), max_size=4),
    stay_open=st.booleans(),
)
def test_any_cut_gives_the_same_document(pipe: Pipe, value: dict, cuts: list[int], stay_open: bool) -> None:
    sent = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    marks = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    chunks = [sent[start:end] for start, end in pairwise(marks)]
    assert read(pipe(*chunks, stay_open=stay_open, pause=0.0002)) == json.loads(sent)


@pytest.mark.parametrize(
    "locale", [{"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}, {}]
)
def test_a16_utf8_whatever_the_locale(locale: dict[str, str]) -> None:
    program = (
        "import time; from coordhooks import fastjson, stdin;"
        "print(fastjson.dumps(stdin.read_document(0, deadline=time.monotonic() + 9)), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=utf8(WRITE),
        capture_output=True,
        env=os.environ | locale,
        check=True,
    )
    assert json.loads(done.stdout.decode("ascii")) == WRITE
