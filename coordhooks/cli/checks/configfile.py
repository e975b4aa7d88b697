"""A harness's configuration file as the harness reads it: there or not, legible or not, with hooks of ours or not."""

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from coordhooks import __version__
from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.checks.program import AGAIN
from coordhooks.install import merge
from coordhooks.install.command import MARK, program
from coordhooks.install.merge import Groups
from coordhooks.locations import MAX_CONFIG, contents

ABSENT, BROKEN, READ = "absent", "broken", "read"
NOT_UTF_8 = "it is no UTF-8"
INSTALL = "run `coord install`"
PLUGIN_GONE = "the coordhooks plugin is on, and its files are gone: it guards nothing"


class ConfigFile:
    """``state`` is absent, broken (``why`` says how) or read; ``value`` is then its object, else empty."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.value: dict[str, Any] = {}
        self.text = self.why = ""
        self.content = b""
        self.state = READ
        try:
            self.content = contents(path, MAX_CONFIG)
            self.text = self.content.decode("utf-8-sig")
            value = json.loads(self.text, parse_constant=_no_constant)
        except (FileNotFoundError, NotADirectoryError):
            self.state = ABSENT
        except OSError as error:
            self.state, self.why = BROKEN, f"it can't be read ({error.strerror})"
        except UnicodeDecodeError:
            self.state, self.why = BROKEN, NOT_UTF_8
        except (ValueError, RecursionError) as error:
            self.state, self.why = BROKEN, f"it is no JSON ({error})"
        else:
            if isinstance(value, dict):
                self.value = value
            else:
                self.state, self.why = BROKEN, "it is no JSON object"

    @property
    def is_about_us(self) -> bool:
        """Does it name us, legible or not?"""
        return MARK in self.text

    @property
    def ours(self) -> Groups:
        """Each event with its groups that hold an entry of ours."""
        found: Groups = {}
        for event, group, _ in merge.ours(self.value):
            one = self.value[merge.HOOKS][event][group]
            if one not in found.setdefault(event, []):
                found[event].append(one)
        return found

    @property
    def programs(self) -> list[tuple[str, str]]:
        """The interpreters and folders that our entries name."""
        entries = [self._entry(*place) for place in merge.ours(self.value)]
        return sorted({named for entry in entries if (named := program(entry)) is not None})

    def _entry(self, event: str, group: int, index: int) -> Any:
        found = self.value[merge.HOOKS][event][group]
        return found if index < 0 else found[merge.HOOKS][index]


def once(command: str) -> str:
    """The remedy where plugin and hooks file are both on: the command that takes the plugin out."""
    return f"once is enough: `{command}` (`coord uninstall` would take `coord` itself along)"


def _no_constant(name: str) -> None:
    """NaN and Infinity, which Python reads and harnesses don't."""
    raise ValueError(f"{name} is no value of JSON")


def hooks(check: str, file: ConfigFile, wanted: Callable[[str, str], Groups]) -> Iterator[Finding]:
    """Are our hooks in this file whole, as we wrote them, and able to start?"""
    ours, programs = file.ours, file.programs
    expected = wanted(*programs[0]) if programs else wanted("", "")
    missing = [event for event in expected if event not in ours]
    changed = [event for event in expected if event in ours and not _same(ours[event], expected[event])]
    if missing:
        yield fault(check, f"our hooks are missing for {', '.join(missing)}", file=file.path, remedy=INSTALL)
    if changed:
        says = f"our hooks for {', '.join(changed)} are not as we wrote them: what they guard is not certain"
        yield fault(check, says, file=file.path, remedy=INSTALL)
    if not missing and not changed:
        yield good(check, f"our hooks are there for all {len(ours)} events", file=file.path)
    if len(programs) > 1:
        yield note(
            check,
            "our hooks are there more than once: each call is checked twice",
            file=file.path,
            remedy=INSTALL,
        )
    yield from _programs(check, file)


def _same(found: list[Any], wanted: list[Any]) -> bool:
    return all(group in found for group in wanted)


def _programs(check: str, file: ConfigFile) -> Iterator[Finding]:
    """What the entries name has to be there: the interpreter, and the folder that holds the package."""
    for python, root in file.programs:
        if not os.access(python, os.X_OK):
            says = f"the interpreter of the hooks is gone: {python}; they start any other they find"
            yield fault(check, says, file=file.path, remedy=AGAIN)
        if not os.path.isfile(os.path.join(root, "coordhooks", "hook.py")):
            says = f"the program of the hooks is gone, so nothing guards writes: {root}"
            yield fault(check, says, file=file.path, remedy=AGAIN)
        elif (version := _version(root)) != __version__:
            says = f"the hooks run coordhooks {version} in {root}, this command is {__version__}"
            yield note(check, says, file=file.path, remedy=AGAIN)


def _version(root: str) -> str:
    """The version of the package in a folder, read without running it."""
    with open(os.path.join(root, "coordhooks", "__init__.py"), encoding="utf-8") as file:
        found = re.search(r'__version__ = "([^"]*)"', file.read())
    return found.group(1) if found else "of an unknown version"
