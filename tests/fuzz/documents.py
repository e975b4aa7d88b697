"""Texts of configuration files: JSON and TOML in every manner of writing, with what is in them."""

import json
from typing import Any

from hypothesis import strategies as st

from fuzz.words import texts

# Text that a file can hold at all.
plain = texts.map(lambda text: text.encode("utf-8", "replace").decode())
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | plain
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> bytes:
    """A JSON value as somebody's editor may have left it."""
    style = draw(
        st.sampled_from(
            [{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 0}]
        )
    )
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), **style)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    around = draw(st.sampled_from([("", ""), ("", "\n"), ("\n ", " \n\n"), ("\ufeff", "\r\n")]))
    return (around[0] + text + around[1]).encode()


def toml(value: Any) -> str:
    """A value inline; JSON's strings are TOML's, but for DEL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(key)} = {toml(item)}' for key, item in value.items())}}}"
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def table(header: str, content: dict[str, Any]) -> str:
    lines = [f"{quoted(key)} = {toml(value)}" for key, value in content.items()]
    return "\n".join([*([f"[{header}]"] if header else []), *lines, ""])
