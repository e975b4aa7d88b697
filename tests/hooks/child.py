"""The process that plays the harness. It starts hooks as its own children, as it is told on its standard input.

One JSON order a line; answers come as they are ready: first the hook's pid, then how it ended.
"""

import base64
import json
import os
import subprocess
import sys
import threading
import time

SAYING = threading.Lock()


def serve() -> None:
    for line in sys.stdin.buffer:
        threading.Thread(target=obey, args=(json.loads(line),), daemon=True).start()


def obey(order: dict) -> None:
    if order.get("title"):  # a disguise, as some harnesses wear
        with open(f"/proc/{os.getpid()}/comm", "w") as comm:
            comm.write(order["title"])
        say(order, rc=0, stdout="", stderr="", seconds=0.0)
        return
    began = time.monotonic()
    payload, feed = os.pipe()
    broken = _broken_pipe() if order["stdout"] == "broken" else None
    hook = subprocess.Popen(
        [os.fsencode(word) for word in order["argv"]],
        env={os.fsencode(k): os.fsencode(v) for k, v in order["env"].items()},
        cwd=os.fsencode(order["cwd"]),
        umask=order["umask"],
        stdin=payload,
        stdout=subprocess.PIPE if broken is None else broken,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(payload)
    if broken is not None:
        os.close(broken)
    say(order, pid=hook.pid)
    writer = threading.Thread(target=write, args=(feed, base64.b64decode(order["stdin"]), order["keep_open"]))
    writer.start()
    out, err = hook.communicate()
    seconds = time.monotonic() - began
    writer.join()
    if order["keep_open"]:
        os.close(feed)
    say(order, rc=hook.returncode, stdout=encoded(out or b""), stderr=encoded(err), seconds=seconds)


def write(fd: int, data: bytes, keep_open: bool) -> None:
    try:
        while data:
            data = data[os.write(fd, data) :]
    except BrokenPipeError:  # the hook has read enough
        pass
    if not keep_open:
        os.close(fd)


def _broken_pipe() -> int:
    nobody, pipe = os.pipe()
    os.close(nobody)
    return pipe


def say(order: dict, **answer: object) -> None:
    with SAYING:
        sys.stdout.write(json.dumps({"id": order["id"], **answer}) + "\n")
        sys.stdout.flush()


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


if __name__ == "__main__":
    serve()
