"""Random sequences of the whole API against a small model that shares no code with the store."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from harness.torture import count
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule
from store.support import Clock

from coordhooks.errors import ClaimRefused
from coordhooks.store.coordstore import CoordStore

NAMES = st.sampled_from(["a", "a/b", "a/b/c", "a/bc", "ab", "d", "d/e"])
LISTS = st.lists(NAMES, min_size=1, max_size=3)
CONVERSATIONS = st.sampled_from(["one", "two", "three"])
TTLS = st.sampled_from([10, 100, 1000])
MODES = st.sampled_from(["exclusive", "append"])


class Runtime:
    """What the model knows of one runtime."""

    def __init__(self, conversation: str, parent: str | None, expires: float, ttl: float) -> None:
        self.conversation, self.parent, self.expires, self.ttl = conversation, parent, expires, ttl
        self.ended = False
        self.leases: dict[str, tuple[str, float]] = {}  # name -> (mode, expires)
        self.inbox: dict[str, str] = {}  # message -> state, oldest first


class Store(RuleBasedStateMachine):
    """Each rule does one thing to both and compares the answers."""

    runtimes = Bundle("runtimes")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.store = CoordStore(self.folder / "coord.db", clock=self.clock)
        self.model: dict[str, Runtime] = {}
        self.order: list[str] = []  # messages as they were sent

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    # -- the model's own arithmetic ---------------------------------------------------------------------

    def lives(self, who: str) -> bool:
        one = self.model[who]
        return not one.ended and one.expires > self.clock.now

    def kin(self, who: str) -> list[str]:
        chain, current = [], who
        while current is not None:
            chain.append(current)
            current = self.model[current].parent
        return chain

    def current(self, who: str) -> dict[str, tuple[str, float]]:
        if not self.lives(who):
            return {}
        return {n: (m, e) for n, (m, e) in self.model[who].leases.items() if e > self.clock.now}

    def conflicts(self, who: str, names: list[str], mode: str) -> set[tuple[str, str]]:
        return {
            (other, held)
            for other in self.model
            if who not in self.kin(other) and other not in self.kin(who)
            for held, (theirs, _) in self.current(other).items()
            for name in names
            if (name == held or name.startswith(held + "/") or held.startswith(name + "/"))
            and "exclusive" in (mode, theirs)
        }

    def stop(self, who: str) -> None:
        one = self.model[who]
        one.ended, one.leases = True, {}
        for child in [c for c, r in self.model.items() if r.parent == who and not r.ended]:
            self.stop(child)
        if one.parent is not None:
            self.move(who, one.parent)

    def move(self, old: str, heir: str) -> None:
        for message, state in list(self.model[old].inbox.items()):
            if state != "acked":
                del self.model[old].inbox[message]
                self.model[heir].inbox.setdefault(message, "queued")

    def fails(self, who: str, act: object) -> bool:
        """A dead runtime's act is refused; returns whether that was so."""
        if self.lives(who):
            return False
        try:
            act()
        except KeyError:
            return True
        raise AssertionError("a dead runtime was served")

    # -- rules --------------------------------------------------------------------------------------------

    @rule(target=runtimes, conversation=CONVERSATIONS, ttl=TTLS)
    def register(self, conversation: str, ttl: int) -> str:
        who = self.store.register_instance(conversation, ttl_seconds=ttl)
        dead = [
            old for old, r in self.model.items() if r.conversation == conversation and not self.lives(old)
        ]
        self.model[who] = Runtime(conversation, None, self.clock.now + ttl, ttl)
        for old in dead:
            self.move(old, who)
        return who

    @rule(target=runtimes, parent=runtimes, ttl=TTLS)
    def register_subagent(self, parent: str, ttl: int) -> object:
        if not self.lives(parent) or len(self.kin(parent)) > 2:
            return multiple()
        conversation, agent = self.model[parent].conversation, f"sub-{len(self.model)}"
        who = self.store.register_instance(conversation, parent=parent, agent_id=agent, ttl_seconds=ttl)
        self.model[who] = Runtime(conversation, parent, self.clock.now + ttl, ttl)
        return who

    @rule(who=runtimes, ttl=TTLS, leases=st.none() | TTLS)
    def heartbeat(self, who: str, ttl: int, leases: int | None) -> None:
        def act() -> int:
            return self.store.heartbeat(who, ttl_seconds=ttl, renew_lease_ttl_seconds=leases)

        if self.fails(who, act):
            return
        one = self.model[who]
        one.expires, one.ttl = self.clock.now + ttl, ttl
        renewed = self.current(who) if leases else {}
        assert act() == len(renewed)
        one.leases.update({n: (m, self.clock.now + leases) for n, (m, _) in renewed.items()})

    @rule(who=consumes(runtimes))
    def end(self, who: str) -> None:
        if self.model[who].ended:
            try:
                self.store.end_instance(who)
            except KeyError:
                return
            raise AssertionError("ended twice")
        try:
            self.store.end_instance(who)
        except KeyError:  # found dead, and buried, by one of the other rules
            assert not self.lives(who)
        self.stop(who)

    @rule(who=runtimes, names=LISTS, mode=MODES, ttl=TTLS)
    def claim(self, who: str, names: list[str], mode: str, ttl: int) -> None:
        def act() -> list[str]:
            return self.store.claim(who, names, mode=mode, ttl_seconds=ttl)

        if self.fails(who, act):
            return
        refused = self.refused(act)
        assert refused == self.conflicts(who, names, mode)
        if not refused:
            self.model[who].leases.update(dict.fromkeys(names, (mode, self.clock.now + ttl)))

    def refused(self, act: Callable[[], object]) -> set[tuple[str, str]]:
        """The conflicts that a claim was refused for."""
        try:
            act()
        except ClaimRefused as error:
            return {(conflict["runtime_id"], conflict["path"]) for conflict in error.conflicts}
        return set()

    @rule(who=runtimes, names=LISTS)
    def release(self, who: str, names: list[str]) -> None:
        if self.fails(who, lambda: self.store.release(who, names)):
            return
        mine = self.current(who)
        released = self.store.release(who, names)
        assert (
            {n for n in names if n in mine}
            <= set(released)
            <= {n for n in names if n in self.model[who].leases}
        )
        assert released == sorted(released)
        for name in names:
            self.model[who].leases.pop(name, None)

    @rule(who=runtimes, names=st.none() | LISTS, ttl=TTLS)
    def renew(self, who: str, names: list[str] | None, ttl: int) -> None:
        def act() -> list[str]:
            return self.store.renew_leases(who, paths=names, ttl_seconds=ttl)

        if self.fails(who, act):
            return
        mine = {n: m for n, (m, _) in self.current(who).items() if names is None or n in names}
        assert act() == sorted(mine)
        self.model[who].leases.update({n: (m, self.clock.now + ttl) for n, m in mine.items()})

    @rule(seconds=st.sampled_from([1, 9, 10, 60, 100, 500]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds)
        orphans = [who for who in self.model if self.lives(who) and not all(map(self.lives, self.kin(who)))]
        if orphans:  # they end when their parent's death is noticed: let that be now
            self.reap()

    @rule(sender=runtimes, to=runtimes | st.just("*"))
    def send(self, sender: str, to: str) -> None:
        def act() -> str:
            return self.store.send_message(sender, recipient=to, body="hello")

        if self.fails(sender, act):
            return
        if to == "*":
            found = [who for who in self.model if who != sender and self.lives(who)]
        elif self.lives(to):
            found = [to]
        else:
            return  # whom a dead one's name means is tested elsewhere
        message = act()
        self.order.append(message)
        for who in found:
            self.model[who].inbox[message] = "queued"

    @rule(who=runtimes, mark=st.booleans(), limit=st.integers(1, 3))
    def read(self, who: str, mark: bool, limit: int) -> None:
        inbox = self.model[who].inbox
        unacked = [m for m in self.order if inbox.get(m, "acked") != "acked"]
        if not self.lives(who):
            return
        shown = self.store.inbox(who, limit=limit, mark_delivered=mark)
        assert {d["message_id"] for d in shown} <= set(unacked)
        assert len(shown) == min(limit, len(unacked))
        assert [(d["message_id"], d["state"]) for d in shown] == [(m, inbox[m]) for m in unacked[:limit]]
        if mark:
            inbox.update(dict.fromkeys(unacked[:limit], "delivered"))

    @rule(who=runtimes, data=st.data())
    def ack(self, who: str, data: st.DataObject) -> None:
        if not self.lives(who) or not self.order:
            return
        chosen = data.draw(st.lists(st.sampled_from(self.order), max_size=3))
        inbox = self.model[who].inbox
        newly = [m for m in dict.fromkeys(chosen) if inbox.get(m, "acked") != "acked"]
        assert self.store.ack(who, chosen) == newly
        inbox.update(dict.fromkeys(newly, "acked"))

    @rule()
    def reap(self) -> None:
        """Listings sweep: what they show is what lives and holds."""
        for who in [w for w in self.model if not self.lives(w) and not self.model[w].ended]:
            if not self.model[who].ended:
                self.stop(who)
        expected = [who for who in self.model if self.lives(who)]
        assert {row["runtime_id"] for row in self.store.live_instances()} == set(expected)

    # -- what must hold at any moment -----------------------------------------------------------------------

    @invariant()
    def held_is_what_the_model_says(self) -> None:
        rows = self.store.active_leases()
        found = {(row["runtime_id"], row["path"]): (row["mode"], row["expires_at"]) for row in rows}
        assert len(found) == len(rows)
        expected = {(who, name): terms for who in self.model for name, terms in self.current(who).items()}
        assert found == expected

    @invariant()
    def no_two_unrelated_conflict(self) -> None:
        for who in self.model:
            for name, (mode, _) in self.current(who).items():
                assert not self.conflicts(who, [name], mode)

    @invariant()
    def no_message_is_lost_or_doubled(self) -> None:
        with self.store.transaction(readonly=True) as tx:
            rows = tx.all("SELECT message_id, runtime_id, state FROM deliveries")
        found = {(row["runtime_id"], row["message_id"]): row["state"] for row in rows}
        assert len(found) == len(rows)
        delivered_to = {m: {w for w in self.model if m in self.model[w].inbox} for m in self.order}
        for message, readers in delivered_to.items():
            assert bool(readers) == any(m == message for _, m in found)


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=count(60, 400), stateful_step_count=count(30, 50), deadline=None)
