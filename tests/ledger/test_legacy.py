"""The repair of the one old shape, and nothing else."""

import json
import os

import pytest
from ledger.made import content, created, event, leased, log_of, owned

from coordhooks.errors import Invalid, LedgerError
from coordhooks.ledger import Ledger, legacy, normalize_legacy_event_sequence


def line(made, seq, number):
    full = made | {"id": f"id{number}", "seq": seq, "at": "2026-01-01T00:00:00Z", "schema_version": 1}
    return json.dumps(full).encode() + b"\n"


OLD = [  # (event, seq)
    (created(), 1),
    (event("TaskAmended", "t", 2, title="lost"), 1),
    (leased(version=3, epoch="lost"), 1),
    (leased(), 2),
    (created("u"), 3),
    (owned("TaskCompleted", 3), 4),
]


def write(folder, events):
    folder.mkdir()
    log_of(folder).write_bytes(b"".join(line(made, seq, n) for n, (made, seq) in enumerate(events)))
    return log_of(folder).read_bytes()


@pytest.mark.parametrize("extra", [1, 2])
def test_the_old_shape_is_repaired(folder, extra):
    events = [OLD[0], *OLD[1 : 1 + extra], *OLD[3:]]
    original = write(folder, events)
    with pytest.raises(Invalid, match=r"line 2.*doctor --fix"):
        Ledger(folder)
    assert normalize_legacy_event_sequence(folder)
    (copy,) = folder.glob("*.legacy-*")
    assert copy.read_bytes() == original
    assert log_of(folder).stat().st_mode & 0o777 == copy.stat().st_mode & 0o777 == 0o600
    with Ledger(folder) as ledger:
        assert [made["seq"] for made in ledger.events()] == [1, 2, 3, 4]
        assert ledger.task("t")["state"] == "completed"
        assert ledger.task("t")["title"] is None
    assert not normalize_legacy_event_sequence(folder)
    assert sorted(p.name for p in folder.iterdir() if "cache" not in p.name) == sorted(
        [log_of(folder).name, copy.name, "events.lock"]
    )


def test_a_healthy_a_missing_and_an_empty_log_have_nothing_to_do(folder, clock):
    assert not normalize_legacy_event_sequence(folder)
    with Ledger(folder, clock=clock) as ledger:
        assert not normalize_legacy_event_sequence(folder)
        ledger.append(created())
        ledger.append(leased())
        before = content(folder)
        assert not normalize_legacy_event_sequence(folder)
        assert content(folder) == before


def near(index, **fields):
    made, seq = OLD[index]
    return made | fields, seq


NEAR_MISSES = {
    "no TaskLeased follows": OLD[:3],
    "only one start": [OLD[0], (leased(), 3), OLD[4]],
    "the first is no TaskCreated": [(event("TaskAmended", "t", 1, title="x"), 1), *OLD[1:]],
    "the first has version 2": [near(0, version=2), *OLD[1:]],
    "another start has version 1": [OLD[0], near(1, version=1), *OLD[2:]],
    "another start is of another task": [OLD[0], near(1, task_id="u"), *OLD[2:]],
    "what follows is no TaskLeased": [*OLD[:3], (event("TaskAmended", "t", 2, title="x"), 2), *OLD[4:]],
    "the TaskLeased has version 3": [*OLD[:3], near(3, version=3), *OLD[4:]],
    "the TaskLeased has seq 3": [*OLD[:3], (OLD[3][0], 3), (OLD[4][0], 4), (OLD[5][0], 5)],
    "the TaskLeased is of another task": [*OLD[:3], near(3, task_id="u"), *OLD[4:]],
    "a gap later": [*OLD[:5], (OLD[5][0], 5)],
    "a repeat later": [*OLD[:4], (OLD[4][0], 2), (OLD[5][0], 3)],
    "a start later": [*OLD, (created("v"), 1)],
    "a version jump later": [*OLD[:5], near(5, version=4)],
    "an unknown task later": [*OLD[:5], near(5, task_id="w")],
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_near_miss_is_refused_and_nothing_changed(folder, name):
    write(folder, NEAR_MISSES[name])
    before = content(folder)
    with pytest.raises(Invalid, match="Nothing was changed"):
        normalize_legacy_event_sequence(folder)
    assert content(folder) == before


@pytest.mark.parametrize("tail", [b"}{\n", b'{"id": "torn'])
def test_damage_is_refused_too(folder, tail):
    write(folder, OLD)
    with log_of(folder).open("ab") as file:
        file.write(tail)
    before = content(folder)
    with pytest.raises(Invalid):
        normalize_legacy_event_sequence(folder)
    assert content(folder) == before


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_repair_that_fails_at_any_step_leaves_a_log_that_can_be_repaired(folder, monkeypatch, step):
    original, real = write(folder, OLD), getattr(os, step)
    for failing in range(12):
        calls = iter(range(1000))

        def sometimes(*args, calls=calls, failing=failing):
            if next(calls) == failing:
                raise OSError(5, "Input/output error")
            return real(*args)

        with monkeypatch.context() as patch:
            patch.setattr(legacy.os, step, sometimes)
            try:
                repaired = normalize_legacy_event_sequence(folder)
            except LedgerError:
                repaired = False
        if repaired:
            break
    if not repaired:
        normalize_legacy_event_sequence(folder)
    (copy,) = folder.glob("*.legacy-*")
    assert copy.read_bytes() == original
    with Ledger(folder) as ledger:
        assert len(list(ledger.events())) == 4
