"""Any configuration file of a harness: what comes out parses, others' content stays, uninstalling restores it."""

import json
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coordhooks.errors import ConfigRefused
from coordhooks.install import claude_code, codex, plan, tomltext
from coordhooks.install.plan import Wish
from fuzz import examples
from fuzz.documents import plain, table, values, written

WISHES = [
    Wish(
        "/x/settings.json",
        harness.NAME,
        "It",
        harness.groups("/x/python3", "/x/site"),
        ("Bash(coord who:*)",),
    )
    for harness in (claude_code, codex)
]
EVENTS = [*(event for event, _ in claude_code.EVENTS), "WorktreeCreate", "hooks"]
OURS = [handler for groups in WISHES[0].groups.values() for group in groups for handler in group["hooks"]]

handlers = (
    st.sampled_from(OURS[:3]) | st.fixed_dictionaries({"type": st.just("command"), "command": plain}) | values
)
groups = (
    st.fixed_dictionaries({"hooks": st.lists(handlers, max_size=3) | values}, optional={"matcher": plain})
    | values
)
hooks = (
    st.dictionaries(st.sampled_from(EVENTS) | plain, st.lists(groups, max_size=3) | values, max_size=4)
    | values
)
permissions = (
    st.dictionaries(st.sampled_from(["allow", "deny"]), st.lists(plain, max_size=3) | values, max_size=2)
    | values
)
settings = st.fixed_dictionaries(
    {}, optional={"hooks": hooks, "permissions": permissions, "model": plain, "": values}
) | st.dictionaries(plain, values, max_size=3)
STRAY = st.fixed_dictionaries({"type": st.just("command"), "command": plain})


def is_refused(content: bytes | None, wish: Wish) -> bool:
    try:
        plan.installed(content, None, wish)
    except ConfigRefused as error:
        refusal = str(error)
    else:
        return False
    assert refusal.startswith(wish.path)
    return True


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.harness)
@examples(60)
@given(data=st.data())
def test_ours_go_in_and_out_again_to_the_byte(wish: Wish, data: st.DataObject) -> None:
    content = data.draw(
        settings.flatmap(written) | st.sampled_from([b"", b"  \n", b"{}", b"{ }\n", b'{"hooks":{}}'])
    )
    if is_refused(content, wish):
        return
    after, record = plan.installed(content, None, wish)
    json.loads(after.decode("utf-8-sig"))
    assert plan.installed(after, record, wish)[0] == after
    restored = plan.removed(after, record, wish)
    if record.undo is not None:
        assert restored == content
    elif restored is not None:
        json.loads(restored.decode("utf-8-sig"))


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.harness)
@examples(40)
@given(data=st.data())
def test_others_content_stays_when_they_have_edited_the_file_since(wish: Wish, data: st.DataObject) -> None:
    value = data.draw(
        st.fixed_dictionaries(
            {}, optional={"hooks": st.dictionaries(st.sampled_from(EVENTS), st.lists(st.fixed_dictionaries({"hooks": st.lists(STRAY, min_size=1, max_size=2)}), min_size=1, max_size=2), max_size=3), "model": plain}
        )
    )  # fmt: skip
    content = data.draw(written(value))
    if is_refused(content, wish):
        return
    after, record = plan.installed(content, None, wish)
    edited = json.loads(after.decode("utf-8-sig")) | {"theirs": data.draw(values)}
    again = data.draw(written(edited))
    if not is_refused(again, wish):  # what is not to be had again can still be taken out
        again, record = plan.installed(again, record, wish)
    restored = plan.removed(again, record, wish)
    assert restored is not None
    assert json.loads(restored.decode("utf-8-sig")) == value | {"theirs": edited["theirs"]}


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.harness)
@examples(60)
@given(
    content=st.binary(max_size=80)
    | settings.flatmap(written).flatmap(lambda whole: st.integers(0, len(whole)).map(lambda end: whole[:end]))
)
@example(content=b"[" * 100_000)
@example(content=b'{"hooks": {"Stop": ' + b"[" * 900 + b"]" * 900 + b"}}")
@example(content=b'{"a": 1' + b"0" * 5000 + b"}")
@example(content=b'{"a": "\\ud800"}')
@example(content=b'{"a": NaN}')
@example(content=b'{"hooks": {}, "hooks": {"Stop": []}}')
def test_what_is_no_settings_file_is_refused_whole(wish: Wish, content: bytes) -> None:
    if not is_refused(content, wish):
        after, record = plan.installed(content, None, wish)
        assert plan.removed(after, record, wish) == content or record.undo is None


# -- Codex's TOML -----------------------------------------------------------------------------------------

STATE = ("hooks", "state")
keys = st.sampled_from(["/home/me/.codex/hooks.json:stop:0:0", 'a"b', "a.b", "a]b", "#"]) | plain
lines = plain.map(lambda text: "# " + "".join(c for c in text if c >= " " and c != "\x7f"))
scalars = st.booleans() | st.integers(-(2**62), 2**62) | plain | st.lists(plain, max_size=2)


@st.composite
def tomls(draw: st.DrawFn) -> str:
    text = table("", draw(st.dictionaries(plain.filter(lambda name: name != "hooks"), scalars, max_size=3)))
    for header in draw(
        st.lists(
            st.sampled_from(["features", "hooks", "hooks.state", "zz", 'hooks.state."x:stop:0:0"', "[mcp]"]),
            max_size=4,
            unique=True,
        )
    ):
        text += (
            draw(lines)
            + "\n"
            + table(
                header,
                draw(
                    st.dictionaries(
                        plain.filter(lambda name: name not in ("state", "x:stop:0:0")), scalars, max_size=2
                    )
                ),
            )
        )
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text


@examples(25)
@given(text=tomls(), given_keys=st.lists(keys, min_size=1, max_size=3, unique=True))
def test_trust_goes_in_and_out_again(text: str, given_keys: list[str]) -> None:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    trusted = tomltext.put(text, STATE, dict.fromkeys(given_keys, "sha256:1"), "trusted_hash")
    if trusted is None:
        return
    after = tomllib.loads(trusted)
    for key in given_keys:
        assert after["hooks"]["state"][key]["trusted_hash"] == "sha256:1"
    theirs = before.get("hooks", {}).get("state", {})
    restored = tomltext.drop(trusted, STATE, [key for key in given_keys if key not in theirs], "trusted_hash")
    assert restored is not None
    assert tomltext._without_empty(tomllib.loads(restored)) == tomltext._without_empty(
        before if not set(given_keys) & set(theirs) else tomllib.loads(restored)
    )
    if not set(given_keys) & set(theirs):
        assert restored == text
