"""Schema versions: forward in numbers, older programs beside newer ones, too new ones refused untouched."""

import sqlite3
from pathlib import Path

import pytest
from store.support import held

from coordhooks.errors import ClaimRefused, StoreUnavailable
from coordhooks.store import migrations
from coordhooks.store.coordstore import CoordStore

NEWER = (
    "ALTER TABLE leases ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'",
    "ALTER TABLE runtimes ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine'",
    "CREATE TABLE extras (name TEXT)",
)


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def used(db_path: Path) -> Path:
    """A store with one live holder of ``x``, closed."""
    store = CoordStore(db_path)
    store.claim(store.register_instance("A", runtime_id="holder"), ["x"])
    store.close()
    return db_path


def newer(path: Path, *, min_reader: object) -> None:
    change(
        path, *NEWER, f"UPDATE meta SET value = {min_reader!r} WHERE name = 'min_reader'",
        f"PRAGMA user_version = {migrations.CURRENT + 1}",
    )  # fmt: skip


def test_a_fresh_store_has_the_current_version(used: Path) -> None:
    assert version(used) == migrations.CURRENT == len(migrations.MIGRATIONS)


def test_a_newer_schema_that_lets_us_read_is_used_and_not_downgraded(used: Path) -> None:
    newer(used, min_reader=1)
    store = CoordStore(used)
    with pytest.raises(ClaimRefused):
        store.claim(store.register_instance("B"), ["x"])
    store.claim("holder", ["y"])
    assert held(store) == {"x": "holder", "y": "holder"}
    store.close()
    assert version(used) == migrations.CURRENT + 1


@pytest.mark.parametrize("min_reader", [migrations.CURRENT + 1, 99, "soon", None], ids=str)
def test_a_newer_schema_that_does_not_is_refused_untouched(used: Path, min_reader: object) -> None:
    newer(used, min_reader=min_reader if min_reader is not None else "NULL")
    before = used.read_bytes()
    with pytest.raises(StoreUnavailable, match="upgrade coordhooks") as caught:
        CoordStore(used)
    assert f"schema {migrations.CURRENT + 1}" in str(caught.value)
    assert used.read_bytes() == before


def test_a_newer_schema_without_our_table_is_refused(used: Path) -> None:
    newer(used, min_reader=1)
    change(used, "DROP TABLE meta")
    with pytest.raises(StoreUnavailable, match="upgrade coordhooks"):
        CoordStore(used)


def test_an_older_store_is_brought_forward(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = ";\n".join(NEWER) + ";\n"
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, more))
    monkeypatch.setattr(migrations, "CURRENT", len(migrations.MIGRATIONS))
    store = CoordStore(used)
    assert held(store) == {"x": "holder"}
    with store.transaction() as tx:
        assert tx.one("SELECT colour FROM leases")["colour"] == "blue"
    store.close()
    assert version(used) == migrations.CURRENT


def test_a_migration_that_fails_changes_nothing(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = version(used)
    more = "CREATE TABLE half (x);\nCREATE TABLE leases (again);\n"
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, more))
        patch.setattr(migrations, "CURRENT", len(migrations.MIGRATIONS))
        with pytest.raises(StoreUnavailable, match="leases"):
            CoordStore(used)
    assert version(used) == before
    store = CoordStore(used)
    assert held(store) == {"x": "holder"}
    store.close()


def test_migrations_only_add() -> None:
    """An older program goes on working beside a newer one, so that nothing may go or be renamed."""
    for migration in migrations.MIGRATIONS:
        assert not any(word in migration.upper() for word in ("DROP ", "RENAME ", "DELETE FROM"))
