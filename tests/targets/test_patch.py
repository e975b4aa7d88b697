"""The patch grammar: which headers count, and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordhooks.targets import patch

BODY = """*** Begin Patch
*** Add File: free.py
+x
+*** Delete File: not/this.py
*** Update File: notes.txt
*** Move to: src/a.py
@@
 *** Update File: context.py
-1
+2
*** Delete File: lib/a.py
*** End Patch
"""
EXPECTED = [("add", "free.py"), ("update", "notes.txt"), ("move", "src/a.py"), ("delete", "lib/a.py")]


def found(text: str) -> list[tuple[str, str]]:
    return [(header.action, header.path) for header in patch.headers(text)]


def test_every_header_counts_and_content_does_not() -> None:
    assert found(BODY) == EXPECTED


def test_line_ends_of_windows() -> None:
    assert found(BODY.replace("\n", "\r\n")) == EXPECTED


def test_headers_are_trimmed() -> None:
    text = "  *** Begin Patch  \n*** Delete File: a.py  \n  *** Delete File:  b.py\n*** End Patch"
    assert found(text) == [("delete", "a.py"), ("delete", "b.py")]


def test_text_around_the_patch_is_ignored() -> None:
    assert found("<<'EOF'\n" + BODY + "EOF\n") == EXPECTED


@pytest.mark.parametrize(
    "text", ["", "*** Add File: a", "*** Begin Patch", "*** Begin Patch\n*** Add File: \n"]
)
def test_no_file(text: str) -> None:
    assert found(text) == []


def test_several_chunks_stay_content() -> None:
    text = "*** Begin Patch\n*** Update File: a\n@@ def f\n x\n-y\n@@\n+*** Add File: b\n*** End of File\n*** Add File: c\n+z\n*** End Patch"
    assert found(text) == [("update", "a"), ("add", "c")]


@given(st.text(alphabet="*+- \r\nAddFile:UptMovBgnPchE", max_size=200))
def test_any_text(text: str) -> None:
    assert found(text) == found(text)
    assert all(path and path == path.strip() for _, path in found(text))


@given(st.lists(st.text(alphabet="ab/ .é", min_size=1).map(str.strip).filter(bool), max_size=5))
def test_added_content_never_names_a_file(names: list[str]) -> None:
    content = "".join(f"+*** Update File: {name}\n" for name in names)
    assert found(f"*** Begin Patch\n*** Add File: only.py\n{content}*** End Patch") == [("add", "only.py")]
