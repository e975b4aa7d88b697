"""Processes that write to a ledger: ``python writers.py FOLDER NAME COUNT SIZE``. Prints what was acknowledged."""

import random
import sys

from coordhooks.ledger import Ledger, book


def main(folder: str, name: str, count: int, size: int) -> None:
    """A task of ``name``'s own, created and then amended; the size of an event varies up to ``size``."""
    dice = random.Random(name)
    book.SEAL_BYTES = 20_000  # so that they meet in the middle of a seal as well
    ledger = Ledger(folder, timeout=60)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(1, count + 1):
        payload: dict[str, object] = {"title": f"{name}-{number}", "description": "x" * dice.randrange(size)}
        if number == 1:
            payload |= {"source": "s", "external_id": name, "project": "p"}
        kind = "TaskCreated" if number == 1 else "TaskAmended"
        made = {"type": kind, "task_id": name, "version": number, "surface": "cli", "payload": payload}
        print(ledger.append(made)["seq"], flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
