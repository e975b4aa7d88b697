"""Settings in the store: whose value counts, and the switch that has an end."""

from pathlib import Path

import pytest
from store.support import Clock

from coordhooks import configuration
from coordhooks.store import CoordStore, settings

HOUR = 3600.0  # seconds


def off(store: CoordStore, project: str = "/p") -> float | None:
    with store.transaction() as tx:
        return settings.off_until(tx, project)


def switch_off(store: CoordStore, until: float, project: str = "/p") -> None:
    with store.transaction() as tx:
        settings.switch_off(tx, project, until)


def test_a_projects_own_value_goes_before_the_general_one_and_is_nobody_elses(store: CoordStore) -> None:
    with store.transaction() as tx:
        settings.put(tx, "", "yield_after", 5)
        settings.put(tx, "/p", "yield_after", 7)
        settings.put(tx, "/p", "yield_after", 8)
        found = [settings.number(tx, project, "yield_after", 9.0) for project in ("", "/p", "/q")]
        assert found == [5.0, 8.0, 5.0]
        assert settings.drop(tx, "/p", "yield_after") == 1
        assert settings.drop(tx, "/p", "yield_after") == 0
        assert settings.get(tx, "/p", "yield_after") == 5


def test_a_value_of_another_kind_is_no_number(store: CoordStore) -> None:
    with store.transaction() as tx:
        settings.put(tx, "", "yield_after", "soon")
        assert settings.yield_after(tx, "", reexport=False) == settings.YIELD_AFTER
        assert settings.yield_after(tx, "", reexport=True) == settings.YIELD_REEXPORT


def test_off_has_an_end_and_survives_new_settings(store: CoordStore, clock: Clock) -> None:
    switch_off(store, clock.now + HOUR)
    with store.transaction() as tx:
        settings.put(tx, "", "enabled", 0)
        settings.drop_compiled(tx)
        assert settings.get(tx, "", "enabled") is None
    assert off(store) == clock.now + HOUR
    assert off(store, "/q") is None
    clock.advance(HOUR)
    assert off(store) is None


@pytest.mark.parametrize(
    ("back", "is_off"), [(1, True), (settings.CLOCK_SLACK + 1, False), (9 * HOUR, False)]
)
def test_a_clock_that_is_put_back_makes_no_hour_longer(
    store: CoordStore, clock: Clock, back: float, is_off: bool
) -> None:
    switch_off(store, clock.now + HOUR)
    clock.advance(-back)
    assert (off(store) is not None) is is_off
    switch_off(store, settings.FOREVER)
    clock.advance(-HOUR)
    assert off(store) == settings.FOREVER


def test_an_off_of_an_older_release_still_counts(store: CoordStore, clock: Clock) -> None:
    with store.transaction() as tx:
        settings.put(tx, "/p", settings.OFF, clock.now + HOUR)
    assert off(store) == clock.now + HOUR


def test_on_forgets_both_and_says_whether_it_was_off(store: CoordStore, clock: Clock) -> None:
    switch_off(store, clock.now + HOUR)
    with store.transaction() as tx:
        assert settings.switch_on(tx, "/p")
        assert not settings.switch_on(tx, "/p")
        assert tx.one("SELECT 1 FROM settings") is None


def test_the_example_in_the_readme_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every setting that it shows is taken."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("service", "experiments"):
        (tmp_path / "src" / name / ".git").mkdir(parents=True)
        (tmp_path / "src" / name / ".git" / "HEAD").touch()
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    file = tmp_path / "config.toml"
    file.write_text(readme.partition("```toml\n")[2].partition("```")[0])
    shown = {name for _, name in configuration.compiled_from(str(file))}
    assert {"strict", "guard_config", "retention", "on_error"} <= shown
