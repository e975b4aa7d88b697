"""Path identity: every spelling of one file meets, and no two files do. Cases of public reports are named."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.git import git, make_repository
from hypothesis import given
from hypothesis import strategies as st

from coordhooks import paths
from coordhooks.errors import BadPath
from coordhooks.model import Target
from coordhooks.paths import OUTSIDE, locate
from coordhooks.store.coordstore import CoordStore
from coordhooks.store.overlap import of_target
from coordhooks.targets import files

ROOT = os.name == "posix" and os.getuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="needs root")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CoordStore]:
    opened = CoordStore(tmp_path / "state" / "coord.db")
    yield opened
    opened.close()


def at(spelled: str | Path, cwd: str | Path = "", **options: bool) -> Target:
    return locate(str(spelled), str(cwd), **options)


def clash(store: CoordStore, held: Target, asked: Target) -> bool:
    """Would a lease on one refuse another's write to the other? Asked of the store itself."""
    from coordhooks.store import leases

    holder, other = store.register_instance("holder"), store.register_instance("other")
    with store.transaction() as tx:
        leases.claim(tx, holder, [of_target(held)])
        found = leases.conflicts(tx, other, [of_target(asked)], leases.EXCLUSIVE)
        leases.release(tx, holder, [of_target(held)])
    return bool(found)


# -- spellings --------------------------------------------------------------------------------------------


def test_b01_a_linked_prefix_is_another_spelling(tmp_path: Path, store: CoordStore) -> None:
    make_repository(tmp_path / "real" / "repo")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one, other = at(tmp_path / "real/repo/src/a.py"), at("src/a.py", tmp_path / "link/repo")
    assert (one.path, one.project, one.tree, one.key) == (other.path, other.project, other.tree, other.key)
    assert clash(store, one, other)


def test_b02_a_file_to_be_made_below_a_linked_folder(repo: Path, store: CoordStore) -> None:
    (repo / "alias").symlink_to("src")
    held, asked = at(repo / "src/new/deep.py"), at(repo / "alias/new/deep.py")
    assert asked.path == str(repo / "src/new/deep.py")
    assert clash(store, held, asked)


def test_b04_dots_behind_a_link_are_the_file_systems(repo: Path, tmp_path: Path, store: CoordStore) -> None:
    (tmp_path / "elsewhere/dir").mkdir(parents=True)
    (repo / "j").symlink_to(tmp_path / "elsewhere/dir")
    assert clash(store, at(repo / "src/a.py"), at(f"{repo}/lib/../src/a.py"))
    assert at(f"{repo}/j/../x.py").path == str(tmp_path / "elsewhere/x.py")
    assert not clash(store, at(repo / "x.py"), at(f"{repo}/j/../x.py"))


def test_b07_a_relative_path_is_taken_from_the_payloads_folder(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileNotFoundError):
        os.getcwd()
    assert at("a.py", repo / "src").path == str(repo / "src/a.py")
    assert at(repo / "src/a.py").path == str(repo / "src/a.py")
    assert at("../lib/./a.py", repo / "src").path == str(repo / "lib/a.py")


def test_a_payloads_folder_that_is_gone_still_names_the_file(repo: Path) -> None:
    assert at("a.py", repo / "was/here").path == str(repo / "was/here/a.py")
    assert at("a.py", repo / "was/here").name == "was/here/a.py"


@pytest.mark.parametrize("cwd", ["", "relative/folder", "."])
def test_a_relative_path_without_a_folder_is_refused(cwd: str) -> None:
    with pytest.raises(BadPath, match="no working folder"):
        locate("a.py", cwd)


@pytest.mark.parametrize(
    "spelled",
    ["", "a\0b", "/tmp/\0", "\ud800", "/x/\udfff.py", "/" + "x" * 40_000],
    ids=lambda text: repr(text[:9]),
)
def test_what_no_file_can_be_called_is_refused_without_an_echo(spelled: str, tmp_path: Path) -> None:
    with pytest.raises(BadPath) as caught:
        locate(spelled, str(tmp_path))
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 100


def test_half_a_surrogate_pair_out_of_json_is_refused() -> None:
    """The bytes of a name that is no UTF-8 come as such halves from the system, never from JSON."""
    for text in ("\ud800", "a\udcffb"):
        with pytest.raises(BadPath, match="surrogate"):
            paths.refuse_surrogates(text)
    paths.refuse_surrogates("\U0001f600")


def test_a_bad_path_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        locate("", "/")


# -- tilde ------------------------------------------------------------------------------------------------


def test_b14_a_tilde_is_the_home_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, store: CoordStore
) -> None:
    monkeypatch.setenv("HOME", str(home))
    assert at("~/proj/a.py").path == str(home / "proj/a.py")
    assert at("~").path == str(home)
    assert clash(store, at(home / "proj/a.py"), at("~/proj/a.py", "/"))


def test_b14_a_folder_called_tilde_is_a_folder(repo: Path) -> None:
    (repo / "~").mkdir()
    assert at("./~/a.py", repo).path == str(repo / "~/a.py")
    assert at("src/~/a.py", repo).path == str(repo / "src/~/a.py")


def test_b14_without_a_home_the_account_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    assert os.path.isabs(at("~/a.py").path)


# -- links ------------------------------------------------------------------------------------------------


def test_writing_follows_a_link_and_unlinking_does_not(repo: Path) -> None:
    (repo / "link").symlink_to("src/a.py")
    assert at(repo / "link").path == str(repo / "src/a.py")
    assert at(repo / "link", follow=False).path == str(repo / "link")
    (repo / "folder").symlink_to("src")
    assert at(repo / "folder/a.py", follow=False).path == str(repo / "src/a.py")
    assert at(f"{repo}/folder/", follow=False).path == str(repo / "folder")
    assert at(f"{repo}/folder/..", follow=False).path == str(repo)


def test_a_dangling_link_is_the_file_that_it_would_make(repo: Path, store: CoordStore) -> None:
    (repo / "dangling").symlink_to("src/new.py")
    assert at(repo / "dangling").path == str(repo / "src/new.py")
    assert clash(store, at(repo / "src/new.py"), at(repo / "dangling"))


def test_a_loop_of_links_does_not_hang(repo: Path) -> None:
    (repo / "one").symlink_to("two")
    (repo / "two").symlink_to("one")
    for name in ("one", "one/x.py", "two/../x.py"):
        assert at(repo / name).project == str(repo / ".git")


def test_b13_hard_links_are_one_file(repo: Path, store: CoordStore) -> None:
    (repo / "AGENTS.md").write_text("1\n")
    (repo / "CLAUDE.md").hardlink_to(repo / "AGENTS.md")
    assert clash(store, at(repo / "AGENTS.md"), at(repo / "CLAUDE.md"))
    assert not clash(store, at(repo / "AGENTS.md"), at(repo / "notes.txt"))


def test_folders_are_not_compared_by_inode(repo: Path) -> None:
    assert at(repo / "src").inode is None
    assert at(repo / "src").folder
    assert not at(repo / "src/a.py").folder
    assert at(repo / "new", folder=True).folder


@needs_root
def test_b13_a_folder_mounted_twice_is_one(repo: Path, tmp_path: Path, store: CoordStore) -> None:
    other = tmp_path / "mounted"
    other.mkdir()
    if subprocess.run(["mount", "--bind", repo, other], check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        assert clash(store, at(repo / "src/a.py"), at(other / "src/a.py"))
    finally:
        subprocess.run(["umount", other], check=True)


# -- volumes that fold names ------------------------------------------------------------------------------


class FoldingVolume:
    """``lstat`` as a volume at ``root`` would answer that ignores case and Unicode form below it."""

    def __init__(self, root: Path) -> None:
        self.root, self.plain = str(root), os.lstat

    def __call__(self, path: str, *args: object, **options: object) -> os.stat_result:
        try:
            return self.plain(path, *args, **options)
        except FileNotFoundError:
            return self.plain(self.found(os.fspath(path)), *args, **options)

    def found(self, path: str) -> str:
        parent, name = os.path.split(path)
        if not parent.startswith(self.root):
            if path == self.root or parent == path:
                return path
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        parent = parent if os.path.lexists(parent) else self.found(parent)
        for existing in os.listdir(parent):
            if paths.fold(existing) == paths.fold(name):
                return os.path.join(parent, existing)
        raise FileNotFoundError(errno.ENOENT, "no such file", path)


@pytest.fixture
def folding(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository on such a volume, which is mounted at the folder above it."""
    monkeypatch.setattr(paths.os, "lstat", FoldingVolume(repo.parent))
    return repo


@pytest.mark.parametrize(
    ("held", "asked", "same"),
    [
        ("src/a.py", "SRC/A.py", True),
        ("src/New.py", "src/new.PY", True),
        ("src/new/deep.py", "Src/New/Deep.py", True),
        ("résumé.md", "re\u0301sume\u0301.md", True),
        ("src/a.py", "src/b.py", False),
        ("src", "SRC/x.py", True),
    ],
)
def test_b05_b06_a_folding_volume_has_one_file(
    folding: Path, store: CoordStore, held: str, asked: str, same: bool
) -> None:
    assert clash(store, at(folding / held), at(folding / asked)) is same
    assert at(folding / asked).path == str(folding / asked)  # shown as it was given


def test_a_folder_above_a_folding_volume_still_contains_it(
    folding: Path, tmp_path: Path, store: CoordStore
) -> None:
    """Only what lies on the volume is folded: the part above it is compared as it is."""
    assert at(tmp_path / "REPO/SRC/A.py").key == f"{tmp_path}/repo/src/a.py"
    assert clash(store, at(tmp_path), at(folding / "SRC/A.py"))


def test_b05_elsewhere_two_spellings_are_two_files(repo: Path, store: CoordStore) -> None:
    (repo / "SRC").mkdir()
    (repo / "SRC/A.py").write_text("2\n")
    for asked in ("SRC/A.py", "src/A.py", "SRC/a.py", "Src/new.py"):
        assert not clash(store, at(repo / "src/a.py"), at(repo / asked))


def test_b06_elsewhere_two_forms_are_two_files(repo: Path, store: CoordStore) -> None:
    (repo / "résumé.md").write_text("1\n")
    (repo / "re\u0301sume\u0301.md").write_text("2\n")
    assert not clash(store, at(repo / "résumé.md"), at(repo / "re\u0301sume\u0301.md"))


def test_a_link_under_the_flipped_spelling_does_not_make_a_volume_fold(repo: Path) -> None:
    (repo / "SRC").symlink_to("src")
    (repo / "A.PY").write_text("x")
    (repo / "a.py").hardlink_to(repo / "A.PY")
    assert at(repo / "src/a.py").key == str(repo / "src/a.py")
    assert at(repo / "A.PY").key == str(repo / "A.PY")


@needs_root
def test_b05_on_a_real_folding_file_system(tmp_path: Path, store: CoordStore) -> None:
    image, disk = tmp_path / "image", tmp_path / "disk"
    with image.open("wb") as file:
        file.truncate(8 << 20)
    disk.mkdir()
    steps = [
        ["mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8", image],
        ["mount", "-o", "loop", image, disk],
    ]
    for step in steps:
        if not shutil.which(step[0]) or subprocess.run(step, check=False, capture_output=True).returncode:
            pytest.skip(f"no folding file system can be made here ({step[0]})")
    try:
        (disk / "Fold").mkdir()
        if subprocess.run(["chattr", "+F", disk / "Fold"], check=False, capture_output=True).returncode:
            pytest.skip("no folding folder can be made here")
        (disk / "Fold/Src").mkdir()
        (disk / "Fold/Src/a.py").write_text("1\n")
        assert clash(store, at(disk / "Fold/Src/a.py"), at(disk / "Fold/SRC/A.PY"))
        assert clash(store, at(disk / "Fold/src/New.py"), at(disk / "Fold/SRC/new.PY"))
        assert not clash(store, at(disk / "fold/src/a.py"), at(disk / "Fold/SRC/A.PY"))
        assert clash(store, at(disk / "Fold"), at(disk / "Fold/SRC/A.PY"))
    finally:
        subprocess.run(["umount", disk], check=True)


# -- names ------------------------------------------------------------------------------------------------


def test_b11_a_folders_sibling_is_not_inside_it(repo: Path, store: CoordStore) -> None:
    (repo / "src/auth").mkdir()
    held = at(f"{repo}/src/auth/")
    assert not clash(store, held, at(repo / "src/auth-legacy/x.py"))
    assert clash(store, held, at(repo / "src/auth/x.py"))
    assert clash(store, held, at(repo / "src/auth"))


@pytest.mark.parametrize(
    ("held", "asked", "same"),
    [
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx", True),
        ("app/[slug]/page.tsx", "app/s/page.tsx", False),
        ("app/[slug]/page.tsx", "app/[[...sign-in]]/page.tsx", False),
        ("a%b", "axb", False), ("a_b", "axb", False), ("*", "x", False), ("?", "x", False), ("(group)/x", "group/x", False),
    ],
)  # fmt: skip
def test_b12_names_are_literal(repo: Path, store: CoordStore, held: str, asked: str, same: bool) -> None:
    assert clash(store, at(repo / held), at(repo / asked)) is same


ODD = [
    "tail ", " lead", "a\tb.py", "new\nline.py", "sep\u2028two.txt", 'quo"te', "sin'gle", "back\\slash", "-dash", "é", "青龍",
    "\U0001f409", "a" * 255, os.fsdecode(b"\xff\xfe.py"), os.fsdecode(b"caf\xe9"), "\x1b[2J", "\u202e", ".", "$(touch x)",
]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in ODD if name != "."], ids=ascii)
def test_b15_odd_names_are_kept_exactly(repo: Path, store: CoordStore, name: str) -> None:
    (repo / name).write_text("1\n")
    target = at(name, repo)
    assert target.path == f"{repo}/{name}"
    assert target.name == name
    assert clash(store, target, at(f"{repo}/src/../{name}"))
    assert not clash(store, at(repo / name.strip()) if name != name.strip() else at(repo / "other"), target)
    assert clash(store, at(repo), target)


def test_a_whole_tree_below_a_name_that_is_no_text(tmp_path: Path, store: CoordStore) -> None:
    odd = make_repository(tmp_path / os.fsdecode(b"\xff\xfe"))
    assert clash(store, at(odd / "src/a.py"), at("a.py", odd / "src"))
    who = store.register_instance("A", cwd=str(odd), tree=str(odd), project=at(odd).project)
    store.claim(who, ["src/a.py"], tree=str(odd), project=at(odd).project, scope="repository")
    assert [row["path"] for row in store.active_leases(project=at(odd).project)] == ["src/a.py"]


def test_names_that_are_too_long_for_a_file_do_not_crash(repo: Path) -> None:
    for name in ("x" * 5000, "/".join(["deep"] * 3000)):
        assert at(repo / name).path == f"{repo}/{name}"


@given(st.lists(st.sampled_from(["src", "lib", "..", ".", "", "a.py", "new", "x y"]), min_size=1, max_size=8))
def test_any_spelling_agrees_with_realpath(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    folder = str(tmp_path_factory.getbasetemp())
    spelled = "/".join(parts)
    if not spelled:
        return
    assert locate(f"{folder}/{spelled}", "").path == os.path.realpath(f"{folder}/{spelled}")


# -- projects ---------------------------------------------------------------------------------------------


def identity(path: Path) -> tuple[str, str, str]:
    target = at(path)
    return target.project, target.tree, target.name


def test_a_project_is_found_from_the_file_not_from_the_caller(repo: Path) -> None:
    assert identity(repo / "src/a.py") == (str(repo / ".git"), str(repo), "src/a.py")
    assert identity(repo / "new/deep/x") == (str(repo / ".git"), str(repo), "new/deep/x")
    assert identity(repo) == (str(repo / ".git"), str(repo), "/")


def test_outside_any_repository_the_path_is_the_key(tmp_path: Path, store: CoordStore) -> None:
    target = at(tmp_path / "plain/file")
    assert (target.project, target.tree, target.name) == (OUTSIDE, "", str(tmp_path / "plain/file"))
    assert clash(store, target, at(tmp_path / "plain/file"))
    assert at("/").path == "/"


def test_b17_git_variables_are_ignored(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoy = make_repository(tmp_path / "decoy")
    for name, value in {
        "GIT_DIR": decoy / ".git", "GIT_WORK_TREE": decoy, "GIT_COMMON_DIR": decoy / ".git",
        "GIT_INDEX_FILE": decoy / ".git/index", "GIT_CEILING_DIRECTORIES": tmp_path,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    assert identity(repo / "src/a.py")[0] == str(repo / ".git")


def test_no_process_is_started(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os, "posix_spawn", None)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert identity(repo / "src/a.py")[0] == str(repo / ".git")


def test_b09_worktrees_share_a_project_but_not_a_file(repo: Path, worktree: Path, store: CoordStore) -> None:
    assert identity(worktree / "src/a.py") == (str(repo / ".git"), str(worktree), "src/a.py")
    assert not clash(store, at(repo / "src/a.py"), at(worktree / "src/a.py"))
    assert clash(store, at(worktree / "src/b.py"), at("src/b.py", worktree))


def test_b18_an_absolute_path_into_another_tree_meets_its_lease(
    repo: Path, worktree: Path, tmp_path: Path, store: CoordStore
) -> None:
    assert clash(store, at(repo / "src/a.py"), at(repo / "src/a.py", worktree))
    assert clash(store, at(tmp_path / "shared.txt"), at(tmp_path / "shared.txt", worktree))


def test_harness_worktrees_inside_the_main_tree(repo: Path, store: CoordStore) -> None:
    inner = repo / ".claude/worktrees/one"
    git(repo, "worktree", "add", "--quiet", str(inner))
    assert identity(inner / "src/a.py") == (str(repo / ".git"), str(inner), "src/a.py")
    assert clash(store, at(repo), at(inner / "src/a.py"))
    assert not clash(store, at(repo / "src"), at(inner / "src/a.py"))


def test_a_nested_repository_is_a_project_of_its_own(repo: Path, store: CoordStore) -> None:
    inner = make_repository(repo / "vendor/inner")
    assert identity(inner / "src/a.py") == (str(inner / ".git"), str(inner), "src/a.py")
    assert clash(store, at(repo / "vendor"), at(inner / "src/a.py"))


def test_a_submodule_is_a_project_of_its_own(repo: Path, tmp_path: Path) -> None:
    part = make_repository(tmp_path / "part")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "sub")
    assert (repo / "sub/.git").is_file()
    assert identity(repo / "sub/src/a.py") == (str(repo / ".git/modules/sub"), str(repo / "sub"), "src/a.py")


def test_a_bare_repositorys_worktrees(repo: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(repo, "clone", "--quiet", "--bare", str(repo), str(bare))
    for name in ("one", "two"):
        git(bare, "worktree", "add", "--quiet", "-b", name, str(tmp_path / name))
        assert identity(tmp_path / name / "src/a.py") == (str(bare), str(tmp_path / name), "src/a.py")


def test_a_moved_git_folder(repo: Path, tmp_path: Path) -> None:
    git(repo, "init", "--quiet", f"--separate-git-dir={tmp_path / 'metadata'}")
    assert identity(repo / "src/a.py") == (str(tmp_path / "metadata"), str(repo), "src/a.py")


@pytest.mark.parametrize(
    "content",
    [None, "", "gitdir: /no/such/folder", "gitdir:", "nonsense", "\xff\xfe", "gitdir: ../src"],
    ids=repr,
)
def test_a_stray_git_marker_is_no_repository(repo: Path, content: str | None) -> None:
    folder = repo / "stray"
    folder.mkdir()
    if content is None:
        (folder / ".git").mkdir()
    else:
        (folder / ".git").write_bytes(content.encode("latin-1"))
    assert identity(folder / "x")[:2] == (str(repo / ".git"), str(repo))


def test_a_pipe_called_git_does_not_hang(repo: Path) -> None:
    (repo / "stray").mkdir()
    os.mkfifo(repo / "stray/.git")
    assert identity(repo / "stray/x")[1] == str(repo)


def test_windows_line_ends_in_a_git_file(repo: Path, worktree: Path) -> None:
    pointer = worktree / ".git"
    pointer.write_bytes(pointer.read_bytes().replace(b"\n", b"\r\n"))
    assert identity(worktree / "src/a.py")[0] == str(repo / ".git")


def test_what_lies_inside_the_metadata_belongs_to_its_tree(repo: Path) -> None:
    assert identity(repo / ".git/config") == (str(repo / ".git"), str(repo), ".git/config")


# -- Jujutsu ----------------------------------------------------------------------------------------------


def test_jj_alone(tmp_path: Path) -> None:
    (tmp_path / "one/.jj/repo").mkdir(parents=True)
    assert identity(tmp_path / "one/src/a.py") == (
        str(tmp_path / "one/.jj/repo"),
        str(tmp_path / "one"),
        "src/a.py",
    )


def test_jj_beside_git_is_gits_project(repo: Path) -> None:
    (repo / ".jj/repo").mkdir(parents=True)
    assert identity(repo / "src/a.py")[0] == str(repo / ".git")


@pytest.mark.parametrize("colocated", [False, True])
@pytest.mark.parametrize("pointer", ["absolute", "relative"])
def test_a_jj_workspace_shares_the_project(tmp_path: Path, colocated: bool, pointer: str) -> None:
    main, other = tmp_path / "main", tmp_path / "other"
    if colocated:
        make_repository(main)
    (main / ".jj/repo").mkdir(parents=True)
    (other / ".jj").mkdir(parents=True)
    (other / ".jj/repo").write_text(
        str(main / ".jj/repo") if pointer == "absolute" else "../../main/.jj/repo"
    )
    assert identity(other / "a.py") == (identity(main / "a.py")[0], str(other), "a.py")


def test_a_stray_jj_folder_is_no_repository(repo: Path) -> None:
    (repo / "stray/.jj").mkdir(parents=True)
    assert identity(repo / "stray/x")[1] == str(repo)


# -- rights -----------------------------------------------------------------------------------------------


def test_behind_a_closed_door_nothing_crashes(repo: Path) -> None:
    script = (
        "import os, sys\nfrom coordhooks.paths import locate\n"
        "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "target = locate(sys.argv[1], '/')\nprint(target.path, target.inode)"
    )
    (repo / "src").chmod(0)
    import sys

    done = subprocess.run(
        [sys.executable, "-c", script, repo / "src/a.py"], capture_output=True, text=True, check=False
    )
    (repo / "src").chmod(0o755)
    assert done.stderr == ""
    assert done.stdout == f"{repo}/src/a.py None\n"


def test_the_file_tools_refuse_half_a_surrogate_pair(repo: Path) -> None:
    from coordhooks.model import Event

    event = Event("pre_tool_use", "claude-code", "s")
    event.tool, event.cwd, event.tool_input = "Write", str(repo), {"file_path": "a\udcff.py"}
    with pytest.raises(BadPath):
        files.targets(event)
