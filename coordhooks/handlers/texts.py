"""The sentences that a model or a person reads. A refusal stays under 400 characters and names one next step."""

import time

from coordhooks import quoting

LIMIT = 400
NOT_AN_ERROR = "Not an error: "
MAX_NAME, MAX_PATH, SHORT_PATH = 45, 100, 50
Facts = dict[str, object]
HARNESSES = {"claude-code": "Claude Code", "codex": "Codex"}


def clock(at: object) -> str:
    """A time of day, as people say it."""
    return time.strftime("%H:%M", time.localtime(at)) if isinstance(at, (int, float)) else "an unknown time"


def named(text: str, limit: int) -> str:
    """A name of somebody else's choosing, as part of a sentence: on one line, and nothing in it like a tag."""
    return quoting.line(text, limit).replace("<", "‹").replace(">", "›")


def holder_name(facts: Facts) -> str:
    return named(str(facts.get("name") or facts.get("conversation_handle") or "another agent"), MAX_NAME)


def _address(facts: Facts) -> str:
    """What to type to reach the holder: its chosen name if that is a plain word, else its handle."""
    name = str(facts.get("name") or "")
    plain = name.replace("-", "a").isalnum() and name.isascii() and len(name) <= MAX_NAME
    return name if plain else str(facts.get("conversation_handle") or facts.get("runtime_id"))


def purpose(facts: Facts) -> str:
    """What the holder is doing, as quoted data; empty if it is not known."""
    said = str(facts.get("purpose") or facts.get("task") or "")
    return quoting.quoted(quoting.line(said, 70), 80) if said else ""


def about(facts: Facts) -> str:
    """Harness, label, since when and until when at the latest, in one bracket."""
    parts = [HARNESSES.get(str(facts.get("harness")), str(facts.get("harness") or "a person"))]
    if facts.get("label"):
        parts.append(named(str(facts["label"]), 24))
    if facts.get("attention_at"):
        parts.append(f"waits for its human since {clock(facts['attention_at'])}")
    else:
        parts.append(f"since {clock(facts.get('claimed_at'))}")
    parts.append(f"until {_until(facts)}")
    return ", ".join(parts)


# How a lease ends that ends with something; the others at a time.
ENDS = {
    "automatic": "its turn ends",
    "call": "its call ends",
    "background": "its background command ends",
    "turn": "its turn ends",
}


def _until(facts: Facts) -> str:
    kind, latest = str(facts.get("kind")), f"{clock(facts.get('expires_at'))} at the latest"
    return f"{ENDS[kind]}, {latest}" if kind == "turn" else ENDS.get(kind, latest)


def refusal(path: str, typed: str, facts: Facts, refusals: int, circle: str, lapsed: bool) -> str:
    """Why a write is refused and what to do now.

    ``typed`` is the path as ``coord`` takes it in the agent's shell, ``refusals`` counts them for this path in
    this turn, ``circle`` is the step that breaks a circle of waits.
    """
    said, about_it = purpose(facts), about(facts)
    gone = " Your own lease on it had lapsed." if lapsed else ""
    details = [f" ({said}; {about_it})."] if said else []
    heads = [_head(path, MAX_PATH, facts) + detail + gone for detail in (*details, f" ({about_it}).", ".")]
    short = _head(path, SHORT_PATH, facts) + "."
    return fit([*heads, short + gone, short], [circle] if circle else _steps(typed, facts, refusals))


def wide_refusal(command: str, held: list[str], facts: Facts, step: str, fallback: str) -> str:
    """Why a command over a folder or a whole tree is refused: files below are held, some of them by ``facts``'s."""
    more = f" and {len(held) - 2} more" if len(held) > 2 else ""
    names = ", ".join(named(name, SHORT_PATH) for name in held[:2]) + more
    head = f"{NOT_AN_ERROR}`{command}` would change what is being edited by {holder_name(facts)}: {names}"
    said = purpose(facts)
    return fit([f"{head} ({said}).", f"{head}."] if said else [f"{head}."], [step, fallback])


def index_busy(facts: Facts) -> str:
    """Another command of git has the index, and had it for longer than a hook waits."""
    who = holder_name(facts)
    return f"{NOT_AN_ERROR}git's index of this checkout is in use by a command of {who}. Next: try again in a moment."


def stash_shared(path: str, facts: Facts) -> str:
    """The stash is one for all working trees, in one of which somebody is at work."""
    return (
        f"{NOT_AN_ERROR}the stash belongs to all working trees of this repository, and {holder_name(facts)} is editing "
        f"{named(path, SHORT_PATH)}. Next: keep your changes in a commit of your own files instead (`coord files`)."
    )


def overwrite(path: str, more: int, program: str, *, known: bool) -> str:
    """A shell command would replace or remove what its caller has not seen; ``known``: it has written it before."""
    what = (
        "others have changed {} since you last wrote it" if known else "{} holds uncommitted work of others"
    )
    which = named(path, MAX_PATH) + (f" and {more} more files" if more else "")
    return (
        f"{NOT_AN_ERROR}{what.format(which)}, and "
        f"`{named(program, 20)}` would lose that. Next: re-read it; if it must still go, run the same command again."
    )


def strict(reason: str, who: str) -> str:
    """Strict mode: what a command writes can't be told, and others hold files here."""
    return (
        f"{NOT_AN_ERROR}this project is strict, {who} holds files here, and {named(reason, 120)}. "
        "Next: use the edit tools, or a plain command that names the files that it writes."
    )


def breached(path: str, who: str) -> str:
    """For the one whose command changed what another holds."""
    return (
        f"Your command changed {named(path, 120)}, which {who} holds. Do not revert or repair it: its holder has been told. "
        "Go on with other work, and change it no more."
    )


def changed(path: str, who: str) -> str:
    """For one whose command ran while a held file changed by somebody's hand."""
    return (
        f"{named(path, 120)}, which {who} holds, changed while your command ran; its author is unknown. "
        "Do not revert or repair it: its holder has been told."
    )


def was_changed(path: str, by: str) -> str:
    """For the holder. ``by`` is empty where nobody can be named."""
    how = f"was changed by a shell command of {by}" if by else "was changed by somebody, author unknown"
    return f"{named(path, 120)}, which you hold, {how}. Re-read it before you edit it again; do not blindly revert it."


def took_in(names: list[str], who: str) -> str:
    """For the one whose commit held what others had not committed."""
    return (
        f"Your commit took in uncommitted work of {who}: {_some(names)}. Do not undo that; its author has been told. "
        "Next time name your own files: `git commit -m … -- FILE…`."
    )


def was_taken_in(names: list[str], by: str) -> str:
    """For the author of that work."""
    return f"{by} has committed your changes in {_some(names)}, as they were then. Look at `git log` before you commit them."


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(named(name, SHORT_PATH) for name in sorted(names)[:3]) + more


def head_moved(branch: str, commit: str, who: str, was: str) -> str:
    """For the others in a checkout in which HEAD stands elsewhere now."""
    now = f"{named(branch, SHORT_PATH)} at {commit[:9]}" if branch != "HEAD" else f"{commit[:9]} (no branch)"
    return f"HEAD of this checkout was moved by {who} to {now}; before, it was {was[:9] or 'nothing'}. Re-read what you use."


def _head(path: str, limit: int, facts: Facts) -> str:
    return f"{NOT_AN_ERROR}{named(path, limit)} is being edited by {holder_name(facts)}"


def _steps(typed: str, facts: Facts, refusals: int) -> list[str]:
    """The step to recommend, then shorter forms of it."""
    address = _address(facts)
    if refusals >= 3:
        return [
            "Stop trying to change it, by any tool: do other work, or end your turn and report what is left."
        ]
    if facts.get("attention_at"):
        return [
            f"Go on with other work; its person has been told. `coord send {address} …` leaves word.",
            "Go on with other work; its person has been told.",
        ]
    word = typeable(typed)
    if not word:
        return [f"Next: go on with other work; ask with `coord send {address} …`."]
    wait = f"Next: run `coord wait {word}` in the background and go on with other work"
    return [f"{wait}; if you can't, ask with `coord send {address} …`.", f"{wait}."]


def fit(heads: list[str], steps: list[str]) -> str:
    """The first head and step that stay under the limit together; both are given longest first."""
    for head in heads:
        for step in steps:
            if len(head) + 1 + len(step) < LIMIT:
                return f"{head} {step}"
    return f"{heads[-1][: LIMIT - len(steps[-1]) - 4]}… {steps[-1]}"


def typeable(word: str) -> str:
    """A word for a POSIX shell, or nothing if it is too long, or would not read as it is."""
    quoted = shell_word(word)
    readable = named(word, MAX_PATH) == word and "`" not in word
    return quoted if readable and len(quoted) <= MAX_PATH else ""


def shell_word(path: str) -> str:
    """A path as one word of a POSIX shell."""
    plain = all(char.isalnum() or char in "/._-+@%=:," for char in path)
    return path if plain and path else "'" + path.replace("'", "'\\''") + "'"


def refused_notice(path: str, facts: Facts) -> str:
    """The same for the person who watches."""
    return f"coordhooks: {named(path, MAX_PATH)} is held by {holder_name(facts)}; the agent was told to wait."


def circle_step(held: list[str], typed: str, needed_by: str) -> str:
    """For the one whose turn began later: it holds what the other needs, and the other what it wants.

    ``typed`` is the first of ``held`` as ``coord`` takes it.
    """
    names = named(", ".join(held), SHORT_PATH)
    word = typeable(typed)
    return (
        f"You wait for each other: you hold {names}, which {named(needed_by, MAX_NAME)} needs. "
        f"Finish or revert that, run `coord release {word if word and len(word) <= SHORT_PATH else '--all'}`, "
        "then go on."
    )


def unlanded(path: str, who: str, task: str, minutes: int) -> str:
    """For the first write into another conversation's uncommitted changes."""
    what = (
        f" ({quoting.quoted(quoting.line(task, 60), 70)}, {minutes} min ago)"
        if task
        else f" ({minutes} min ago)"
    )
    return (
        f"{named(path, 120)} has uncommitted changes by {who}{what}: "
        "re-read it, keep them, do not commit them as yours."
    )


def freed(names: list[str]) -> str:
    shown = ", ".join(named(name, 120) for name in names[:5])
    return f"Free now: {shown}. You were refused before: re-read before you edit."


def lapsed(path: str, who: str) -> str:
    """For the former holder of a lease that yielded."""
    return (
        f"Your lease on {named(path, 120)} yielded to {who}, because you had not touched it for a while. "
        "Re-read it before you edit it again."
    )
