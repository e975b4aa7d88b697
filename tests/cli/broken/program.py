"""What can be wrong with the program, its settings and the harnesses."""

from pathlib import Path

from cli.broken.patient import Fault, Patient
from coordhooks.install import wrapper
from coordhooks.install.places import Places


def program_of_the_hooks_is_gone(p: Patient) -> Fault:
    (p.program / "coordhooks/hook.py").unlink()
    return Fault(p.settings, f"so nothing guards writes: {p.program}", "install.sh")


def command_without_its_interpreter(p: Patient) -> Fault:
    places = Places.here({"HOME": str(p.home), "XDG_DATA_HOME": str(p.home / "elsewhere")}, str(p.home))
    wrapper.write(places)
    path = Path(places.coord)
    return Fault(path, "starts an interpreter that is gone", "install.sh")


def harness_that_does_not_start(p: Patient) -> Fault:
    return Fault(p.harness("claude", "echo broken >&2; exit 3"), "exit 3, broken", "claude --version")


def unknown_setting(p: Patient) -> Fault:
    path = p.home / ".config/coordhooks/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("yield_afer = 5\n")
    return Fault(path, "unknown setting 'yield_afer'", "correct it")


def settings_that_are_no_toml(p: Patient) -> Fault:
    path = p.home / ".config/coordhooks/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("= broken")
    return Fault(path, "the former ones go on", "correct it")


def switched_off_here(p: Patient) -> Fault:
    assert p.machine.coord("off").code == 0
    return Fault(None, "the veto is off in this project", "`coord on`", cured=True)


def switched_off_by_the_environment(p: Patient) -> Fault:
    p.patch.setenv("COORD_OFF", "1")
    return Fault(None, "COORD_OFF=1", "unset COORD_OFF")
