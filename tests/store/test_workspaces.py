"""Workspace records, and the proof that a path is a managed workspace: real worktrees, owner markers."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.git import git
from store.support import events

from coordhooks.store import handles, workspaces
from coordhooks.store.coordstore import CoordStore

TOKEN = "ownership-token-0123456789"


def record(path: Path, **more: object) -> dict:
    return {"instance_id": "ws-1", "path": str(path), "ownership_token": TOKEN, "status": "active", **more}


def mark(folder: Path, content: object) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / workspaces.MARKER).write_text(text)


OWNER = {"instance_id": "ws-1", "ownership_token": TOKEN}


@pytest.fixture
def jj(tmp_path: Path) -> Path:
    """What a Jujutsu workspace looks like from outside."""
    folder = tmp_path / "jj-workspace"
    (folder / ".jj" / "repo").mkdir(parents=True)
    return folder


def git_folder(tree: Path) -> Path:
    return Path(git(tree, "rev-parse", "--absolute-git-dir"))


# -- records ----------------------------------------------------------------------------------------------


def test_the_latest_full_record_is_kept(store: CoordStore, tmp_path: Path) -> None:
    store.save_workspace_record("workspace_created", record(tmp_path, nested={"a": [1, None, "é"]}))
    store.save_workspace_record("workspace_used", record(tmp_path, uses=2))
    assert store.workspace_records() == [record(tmp_path, uses=2)]
    assert store.workspace_record("ws-1") == record(tmp_path, uses=2)
    assert [e["event"] for e in events(store)] == ["workspace_created", "workspace_used"]
    assert events(store)[0]["details"]["record"]["nested"] == {"a": [1, None, "é"]}


def test_look_up_by_id_or_by_work_handle(store: CoordStore, tmp_path: Path) -> None:
    store.save_workspace_record("made", record(tmp_path))
    handle = handles.friendly_handle("ws-1", "work")
    assert store.workspace_record(handle) == record(tmp_path)
    for name in ("ws", "ws-1 ", handle[:-1], handles.friendly_handle("ws-1", "runtime"), ""):
        assert store.workspace_record(name) is None


@pytest.mark.parametrize(
    "broken",
    [{}, {"instance_id": "x"}, {"path": "/x"}, {"instance_id": "", "path": "/x"}, {"instance_id": 1, "path": "/x"},
     {"instance_id": "x", "path": ""}, {"instance_id": "x", "path": 5}],
)  # fmt: skip
def test_a_record_needs_an_id_and_a_path(store: CoordStore, broken: dict) -> None:
    with pytest.raises(ValueError, match="instance_id and a path"):
        store.save_workspace_record("made", broken)
    assert events(store) == []


def test_a_save_needs_the_name_of_its_event(store: CoordStore, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="event"):
        store.save_workspace_record("", record(tmp_path))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()], ids=["nan", "set", "object"])
def test_what_is_not_json_is_refused_whole(store: CoordStore, tmp_path: Path, value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        store.save_workspace_record("made", record(tmp_path, value=value))
    assert store.workspace_records() == []


# -- managed ----------------------------------------------------------------------------------------------


def test_a_worktree_with_record_and_marker_is_managed(store: CoordStore, repo: Path, worktree: Path) -> None:
    store.save_workspace_record("made", record(worktree))
    assert not store.is_managed_workspace(worktree)
    mark(git_folder(worktree), OWNER)
    assert store.is_managed_workspace(worktree)
    assert store.is_managed_workspace(str(worktree) + "/")
    assert not store.is_managed_workspace(worktree / "src")
    assert not store.is_managed_workspace(repo)


def test_a_jj_workspace_is_managed(store: CoordStore, jj: Path) -> None:
    store.save_workspace_record("made", record(jj))
    mark(jj / ".jj", OWNER)
    assert store.is_managed_workspace(jj)


def test_a_link_to_it_is_the_same_workspace(store: CoordStore, worktree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(worktree)
    store.save_workspace_record("made", record(tmp_path / "link"))
    mark(git_folder(worktree), OWNER)
    assert store.is_managed_workspace(worktree)
    assert store.is_managed_workspace(tmp_path / "link")


@pytest.mark.parametrize(
    "content",
    [
        {**OWNER, "ownership_token": "wrong"},
        {**OWNER, "ownership_token": TOKEN + " "},
        {**OWNER, "ownership_token": ""},
        {**OWNER, "ownership_token": None},
        {**OWNER, "instance_id": "ws-2"},
        {"ownership_token": TOKEN},
        {"instance_id": "ws-1"},
        [OWNER],
        "",
        "{",
        "null",
        "\x00\x01",
        '{"instance_id": "ws-1", "ownership_token": ',
        " " * 70_000 + json.dumps(OWNER),
    ],
    ids=repr,
)
def test_a_wrong_or_broken_marker_means_no(store: CoordStore, worktree: Path, content: object) -> None:
    store.save_workspace_record("made", record(worktree))
    mark(git_folder(worktree), content)
    assert store.is_managed_workspace(worktree) is False


def _linked(folder: Path, tmp_path: Path) -> None:
    mark(tmp_path, OWNER)
    (folder / workspaces.MARKER).symlink_to(tmp_path / workspaces.MARKER)


@pytest.mark.parametrize(
    "plant",
    [
        _linked,
        lambda folder, _: (folder / workspaces.MARKER).mkdir(),
        lambda folder, _: os.mkfifo(folder / workspaces.MARKER),
        lambda folder, _: (folder / workspaces.MARKER).write_bytes(b"\xff\xfe" + json.dumps(OWNER).encode()),
    ],
    ids=["symlink", "folder", "pipe", "no-utf8"],
)
def test_a_marker_that_is_no_plain_file_means_no(
    store: CoordStore, worktree: Path, tmp_path: Path, plant: Callable
) -> None:
    store.save_workspace_record("made", record(worktree))
    plant(git_folder(worktree), tmp_path)
    assert store.is_managed_workspace(worktree) is False


def test_a_marker_beside_the_work_proves_nothing(store: CoordStore, worktree: Path) -> None:
    """It belongs into the workspace's own metadata folder: not its root, not the folder all trees share."""
    store.save_workspace_record("made", record(worktree))
    mark(worktree, OWNER)
    mark(Path(git(worktree, "rev-parse", "--path-format=absolute", "--git-common-dir")), OWNER)
    assert store.is_managed_workspace(worktree) is False


@pytest.mark.parametrize("change", [{"status": "removed"}, {"active": False}, {"state": "retired"}], ids=str)
def test_only_an_active_record_counts(store: CoordStore, worktree: Path, change: dict) -> None:
    mark(git_folder(worktree), OWNER)
    store.save_workspace_record("made", record(worktree))
    store.save_workspace_record("changed", record(worktree, **change))
    assert store.is_managed_workspace(worktree) is False


def test_a_record_without_a_token_proves_nothing(store: CoordStore, worktree: Path) -> None:
    store.save_workspace_record("made", record(worktree, ownership_token=""))
    mark(git_folder(worktree), {**OWNER, "ownership_token": ""})
    assert store.is_managed_workspace(worktree) is False


def test_a_marker_without_a_record_means_no(store: CoordStore, worktree: Path) -> None:
    mark(git_folder(worktree), OWNER)
    assert store.is_managed_workspace(worktree) is False


def test_a_removed_folder_is_not_managed(store: CoordStore, worktree: Path) -> None:
    store.save_workspace_record("made", record(worktree))
    mark(git_folder(worktree), OWNER)
    shutil.rmtree(worktree)
    assert store.is_managed_workspace(worktree) is False


def test_an_empty_path_is_never_the_current_folder(
    store: CoordStore, worktree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save_workspace_record("made", record(worktree))
    mark(git_folder(worktree), OWNER)
    monkeypatch.chdir(worktree)
    assert store.is_managed_workspace("") is False
    assert store.is_managed_workspace(".") is True


def test_the_comparison_takes_constant_time() -> None:
    import inspect

    assert "handles.same" in inspect.getsource(workspaces._equal)
