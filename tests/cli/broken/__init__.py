"""Broken set-ups, each made on purpose on a real folder: one function each, by subject.

A function breaks one thing in a healthy set-up and returns what the doctor has to say of it.
"""

from collections.abc import Callable, Iterator
from types import ModuleType

from cli.broken import claude_code, codex, program, state
from cli.broken.patient import Fault, Patient

Break = Callable[[Patient], Fault]


def all_of() -> Iterator[tuple[str, Break]]:
    for module in (claude_code, codex, program, state):
        yield from _functions(module)


def _functions(module: ModuleType) -> Iterator[tuple[str, Break]]:
    subject = module.__name__.rpartition(".")[2]
    for name, value in vars(module).items():
        if callable(value) and getattr(value, "__module__", "") == module.__name__:
            yield f"{subject}:{name}", value
