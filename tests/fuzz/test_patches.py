"""Any patch: every file that it names is found, whatever its content looks like, and nothing else is."""

from hypothesis import example, given
from hypothesis import strategies as st

from coordhooks.targets import patch
from coordhooks.targets.patch import ADD, DELETE, MOVE, UPDATE
from fuzz import examples
from fuzz.line import ME, Line
from fuzz.test_events import encoded, sample
from fuzz.words import paths, texts

Header = tuple[str, str]

HEADERS = {
    ADD: "*** Add File: ",
    UPDATE: "*** Update File: ",
    DELETE: "*** Delete File: ",
    MOVE: "*** Move to: ",
}
LOOKALIKES = [
    *(f"{header}x.py" for header in HEADERS.values()),
    "*** End Patch",
    "*** Begin Patch",
    "@@",
    "*** End of File",
]

# A name in a patch ends with its line, and blanks around it do not count.
names = (paths | texts).map(lambda name: name.replace("\n", "").strip()).filter(bool)
content = (st.sampled_from(LOOKALIKES) | texts).map(lambda line: line.replace("\n", ""))
blanks = st.sampled_from(["", " ", "\t", "\r"])


@st.composite
def sections(draw: st.DrawFn) -> tuple[list[Header], list[str]]:
    """What one section of a patch names, and its lines."""
    action, name = draw(st.sampled_from([ADD, UPDATE, DELETE])), draw(names)
    named, lines = [(action, name)], [HEADERS[action] + name + draw(blanks)]
    body = draw(st.lists(content, max_size=4))
    if action == ADD:
        lines += [f"+{line}" for line in body]
    if action == UPDATE:
        if draw(st.booleans()):
            named.append((MOVE, draw(names)))
            lines.append(HEADERS[MOVE] + named[-1][1] + draw(blanks))
        lines += ["@@", *(draw(st.sampled_from("+-")) + line for line in body)]
    return named, lines


@st.composite
def patches(draw: st.DrawFn) -> tuple[list[Header], str]:
    parts = draw(st.lists(sections(), max_size=4))
    lines = ["*** Begin Patch", *(line for _, part in parts for line in part), "*** End Patch"]
    around = draw(st.sampled_from(["", "<<'EOF'\n", "\n\n"]))
    return [header for named, _ in parts for header in named], around + "\n".join(lines) + draw(blanks)


@examples(300)
@given(given_patch=patches())
def test_every_header_is_found_and_no_content(given_patch: tuple[list[Header], str]) -> None:
    named, text = given_patch
    assert [(header.action, header.path) for header in patch.headers(text)] == named


@examples(60)
@given(
    text=patches().map(lambda made: made[1]) | texts | st.lists(st.sampled_from(LOOKALIKES)).map("\n".join)
)
@example(text="*** Begin Patch\n*** Add File: a\x00b\n+x\n*** End Patch")
@example(text="*** Begin Patch\n*** Update File: src/a.py\n*** Move to: \ud800\n*** End Patch")
def test_any_patch_gets_a_reply(line: Line, text: str) -> None:
    payload = {
        **sample("codex", "PreToolUse"), "session_id": ME, "cwd": str(line.repo), "tool_name": "apply_patch",
        "tool_input": {"command": text},
    }  # fmt: skip
    line.fire("codex", "PreToolUse", "file", encoded(payload))


@examples(60)
@given(others=st.lists(sections(), max_size=3), at=st.integers(0, 3))
def test_a_held_file_refuses_the_patch_wherever_it_is_named(
    line: Line, others: list[tuple[list[Header], list[str]]], at: int
) -> None:
    held = ["*** Update File: src/a.py", "@@", "-1", "+2"]
    parts = [lines for _, lines in others]
    parts.insert(at, held)
    lines = ["*** Begin Patch", *(line for part in parts for line in part), "*** End Patch"]
    payload = {
        **sample("codex", "PreToolUse"), "session_id": ME, "cwd": str(line.repo), "tool_name": "apply_patch",
        "tool_input": {"command": "\n".join(lines)},
    }  # fmt: skip
    reply = line.fire("codex", "PreToolUse", "file", encoded(payload))
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
