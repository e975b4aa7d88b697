"""Where our files are: as platformdirs says, but a relative or empty variable is nothing; one store for all."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from coordhooks import locations

KINDS = [
    ("XDG_STATE_HOME", ".local/state", locations.state_dir, platformdirs.user_state_dir),
    ("XDG_CONFIG_HOME", ".config", locations.config_dir, platformdirs.user_config_dir),
    ("XDG_DATA_HOME", ".local/share", locations.data_dir, platformdirs.user_data_dir),
]
each = pytest.mark.parametrize(
    ("variable", "default", "ours", "theirs"), KINDS, ids=["state", "config", "data"]
)
posix = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="XDG folders")


@each
@pytest.mark.parametrize("value", [None, "/somewhere/else", "/with space", "/trailing/", "/é"])
def test_absolute_and_unset_are_as_platformdirs_says(
    monkeypatch: pytest.MonkeyPatch, home: Path, variable: str, default: str, ours: Callable, theirs: Callable,
    value: str | None,
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv(variable, raising=False)
    if value is not None:
        monkeypatch.setenv(variable, value)
    assert ours(os.environ) == theirs("coordhooks", appauthor=False)


@posix
@each
@pytest.mark.parametrize("value", ["", " ", "state", "./state", "../state", "~/state", "\t"])
def test_e12_relative_and_empty_values_are_ignored(
    home: Path, variable: str, default: str, ours: Callable, theirs: Callable, value: str
) -> None:
    """Else two agents in two folders would use two stores."""
    assert ours({"HOME": str(home), variable: value}) == f"{home}/{default}/coordhooks"


@posix
@each
@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}], ids=str)
def test_e12_without_a_home_the_account_decides(
    variable: str, default: str, ours: Callable, theirs: Callable, environ: dict
) -> None:
    import pwd

    account = pwd.getpwuid(os.getuid()).pw_dir
    assert ours(environ) == os.path.join(account, default, "coordhooks")


@posix
def test_a_made_up_user_without_a_home_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(RuntimeError, match="set HOME"):
        locations.state_dir({})
    assert locations.state_dir({"HOME": "/h"}) == "/h/.local/state/coordhooks"


def test_the_folders_do_not_depend_on_where_one_is(tmp_path: Path) -> None:
    script = "import os; from coordhooks import locations as l; print(l.state_dir(os.environ))"
    said = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        said.add(
            subprocess.run(
                [sys.executable, "-c", script], cwd=tmp_path / name, capture_output=True, text=True, check=True,
                env={**os.environ, "XDG_STATE_HOME": "state", "PYTHONPATH": str(Path(locations.__file__).parents[1])},
            ).stdout
        )  # fmt: skip
        assert os.listdir(tmp_path / name) == []
    assert len(said) == 1


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("darwin", "/h/Library/Application Support/coordhooks"), ("linux", "/h/.local/state/coordhooks")],
)
def test_other_systems(monkeypatch: pytest.MonkeyPatch, platform: str, expected: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert locations.state_dir({"HOME": "/h"}) == expected
    assert locations.state_dir({"HOME": "/h", "XDG_STATE_HOME": "/x"}) == "/x/coordhooks"
