"""``python -m conditions.report RESULTS.xml ...``: docs/conditions.md out of what pytest's ``--junitxml`` wrote."""

import sys
from pathlib import Path
from xml.etree import ElementTree

PAGE = Path(__file__).parents[2] / "docs" / "conditions.md"
HEAD = """# Hard conditions

What was done to the real hooks and commands, how often, and what of it survived. An injection has survived when the
hook answered as documented and in time, the store and the ledger were whole, no file had two holders, no message was
lost, and the next calls of this and another agent worked without anybody's hand.

`make torture` injects all of this, `make test` a sample; what needs `strace` or privileges is skipped, with its
reason, where the machine does not have them. `python -m conditions.report` makes this table of one or several runs.

Read it with these limits:

* "Every system call" of a hook means each one from the first that names the state folder on, and one in 40 of those
  before. Of a command only calls that name its folder are taken, at most about 150.
* In a crowd a hook that the machine did not get round to may refuse, or pass, in words; that counts as survived.
* A hook that is stopped while it makes SQLite's shared memory keeps the others waiting for 10 s, not 5: SQLite waits
  there by itself and hears no signal. They are refused in words then.
* After a -wal from another store only one thing is asked: that the same file is not given to two.
* The newer schema adds no column to `calls`, `untold` and `watches`, into which rows are still put by position.

| condition | injections | survived |
| --- | ---: | ---: |
"""


def rows(path: str) -> list[tuple[str, int, bool]]:
    """(condition, injections, survived) of each test that tells of any."""
    found = []
    for case in ElementTree.parse(path).iter("testcase"):
        told = {p.get("name"): p.get("value", "") for p in case.iter("property")}
        if "condition" in told:
            survived = case.find("failure") is None and case.find("error") is None
            found.append((told["condition"], int(told["injections"]), survived))
    return found


def main(paths: list[str]) -> None:
    table = [row for path in paths for row in rows(path)]
    lines = [f"| {name} | {count:,} | {count if survived else 0:,} |" for name, count, survived in table]
    total, well = sum(row[1] for row in table), sum(row[1] for row in table if row[2])
    PAGE.write_text(HEAD + "\n".join([*lines, f"| **all** | **{total:,}** | **{well:,}** |"]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
