"""The ``coord`` command outlives its interpreter, as hooks do."""

import os
import subprocess
import sys
from pathlib import Path

from coordhooks.install import wrapper
from coordhooks.install.places import Places


def test_without_its_interpreter_another_one_runs_it_and_says_so(tmp_path: Path) -> None:
    places = Places.here({"HOME": str(tmp_path / "it's home")}, str(tmp_path))
    package = Path(places.root, "coordhooks/cli")
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import sys\ndef main():\n    print(sys.argv)\n    return 3\n")
    wrapper.write(places)
    assert wrapper.data(places) == places.data
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    done = subprocess.run(
        [places.coord, "doctor", "a b"], env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "['coord', 'doctor', 'a b']\n")
    assert f"no interpreter at {places.python}: run install.sh" in done.stderr


def test_without_any_it_says_what_to_do(tmp_path: Path) -> None:
    places = Places.here({"HOME": str(tmp_path)}, str(tmp_path))
    Path(places.root, "coordhooks").mkdir(parents=True)
    wrapper.write(places)
    text = Path(places.coord).read_text().replace("/usr/", "/no/")
    done = subprocess.run(
        ["/bin/sh", "-c", text], env={"PATH": "/no"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 127
    assert "install one, then run install.sh" in done.stderr
