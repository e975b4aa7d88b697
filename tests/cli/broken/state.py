"""What can be wrong with the state folder, the store and the ledger in it."""

import os
import shutil
from types import SimpleNamespace

from cli.broken.patient import Fault, Patient
from coordhooks.cli.checks import state
from coordhooks.ledger import Ledger

FIX, REFUSED = "`coord doctor --fix`", "every write is refused"


def folder_open_to_others(p: Patient) -> Fault:
    p.machine.store.close()
    p.state.chmod(0o755)
    return Fault(p.state, "mode 0755", "chmod 700", cured=True)


def file_in_the_place_of_the_folder(p: Patient) -> Fault:
    p.machine.store.close()
    shutil.rmtree(p.state)
    p.state.write_text("")
    return Fault(p.state, f"no folder, so {REFUSED}", "`mv ", cured=True)


def network_file_system(p: Patient) -> Fault:
    mounts = p.home / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/home {p.home} nfs4 rw 0 0\n")
    p.patch.setattr(state, "MOUNTS", str(mounts))
    return Fault(p.state, "nfs4 is a network file system", "XDG_STATE_HOME")


def full_disk(p: Patient) -> Fault:
    p.patch.setattr(state.shutil, "disk_usage", lambda path: SimpleNamespace(free=5 << 20))
    return Fault(p.state, "only 5 MB are free", "make room")


def store_that_is_no_database(p: Patient) -> Fault:
    p.machine.store.close()
    p.store.write_bytes(b"no database at all " * 1000)
    return Fault(p.store, "it is damaged", FIX, cured=True)


def store_that_was_cut_off(p: Patient) -> Fault:
    p.machine.store.close()
    os.truncate(p.store, 100)
    return Fault(p.store, "empty or cut off", FIX, cured=True)


def store_with_a_page_of_rubbish(p: Patient) -> Fault:
    p.machine.store.close()
    with p.store.open("r+b") as file:
        file.seek(2048)
        file.write(b"\xff" * 2048)
    return Fault(p.store, "it is damaged", FIX, cured=True)


def store_without_a_table(p: Patient) -> Fault:
    with p.machine.store.transaction() as tx:
        tx.run("DROP TABLE waits")
    return Fault(p.store, "table waits is missing", FIX, cured=True)


def store_without_a_column(p: Patient) -> Fault:
    with p.machine.store.transaction() as tx:
        tx.run("ALTER TABLE waits DROP COLUMN refusals")
    return Fault(p.store, "column waits.refusals is missing", FIX, cured=True)


def folder_in_the_place_of_the_store(p: Patient) -> Fault:
    p.machine.store.close()
    p.store.unlink()
    p.store.mkdir()
    return Fault(p.store, f"no file, so {REFUSED}", "`mv ", cured=True)


def link_in_the_place_of_the_store(p: Patient) -> Fault:
    p.machine.store.close()
    p.store.rename(p.home / "other")
    p.store.symlink_to(p.home / "other")
    return Fault(p.store, f"a link, so {REFUSED}", "`mv ", cured=True)


def store_of_a_newer_release(p: Patient) -> Fault:
    with p.machine.store.transaction() as tx:
        tx.run("UPDATE meta SET value = 1000 WHERE name = 'min_reader'")
    p.machine.store.db.connection().execute("PRAGMA user_version=1000")
    p.machine.store.close()
    return Fault(p.store, "the store has schema 1000", "install.sh")


def ledger_with_a_torn_line(p: Patient) -> Fault:
    folder = p.state / "ledger"
    with Ledger(folder) as ledger:
        for number in range(3):
            ledger.append(
                {"type": "TaskCreated", "task_id": f"task-{number}", "version": 1, "surface": "cli",
                 "payload": {"source": "test", "external_id": str(number), "title": "x", "project": "p"}}
            )  # fmt: skip
    log = next(folder.glob("*.jsonl"))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + lines[1][:20] + b"\n" + lines[2])
    return Fault(folder, "its log is damaged", FIX, cured=True)
