"""The Python API of the store: one method, one transaction.

Times are epoch seconds, durations seconds. Bad arguments raise ``ValueError`` (``errors.BadArgument``), an
unknown or dead runtime ``KeyError`` (``errors.UnknownRuntime``), a store that can't be read or written
``errors.StoreUnavailable``. Listings are lists of dicts.
"""

import os
import time
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from coordhooks.errors import BadArgument, ClaimRefused
from coordhooks.model import Identity
from coordhooks.store import audit, identities, leases, messages, overlap, runtimes, workspaces
from coordhooks.store.db import Database, Transaction
from coordhooks.store.overlap import Want

Facts = dict[str, object]


class CoordStore:
    """A store file, safe to share between threads and processes.

    ``clock`` gives the time in epoch seconds; ``timeout`` is how long to wait for another's transaction.
    """

    def __init__(
        self, db_path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time, timeout: float = 5.0
    ) -> None:
        self.db = Database(os.path.abspath(os.fspath(db_path)), clock, timeout)
        with self.transaction():
            pass

    def transaction(self, *, durable: bool = False, readonly: bool = False) -> Transaction:
        """For callers that need several steps to be one: ``with store.transaction() as tx``."""
        return Transaction(self.db, durable=durable, readonly=readonly)

    def close(self) -> None:
        self.db.close()

    # -- runtimes -----------------------------------------------------------------------------------------

    def register_instance(  # noqa: PLR0913 - the fields of a runtime, all by keyword
        self,
        conversation_id: str,
        *,
        runtime_id: str | None = None,
        harness: str = "",
        host: str = "",
        cwd: str = "",
        label: str = "",
        ttl_seconds: float = 900,
        project: str = "",
        tree: str = "",
        process: Identity | None = None,
        parent: str | None = None,
        agent_id: str = "",
    ) -> str:
        """Register a runtime and return its id (a fresh UUID, unless one is given).

        What dead runtimes of the same conversation had not acked is queued for the new one.
        """
        who = runtimes.Registration(conversation_id, ttl=ttl_seconds)
        who.runtime_id, who.agent_id, who.parent = runtime_id or "", agent_id, parent
        who.harness, who.host, who.cwd, who.label = harness, host, cwd, label
        who.project, who.tree, who.process = project, tree, process
        with self.transaction(durable=True) as tx:
            return runtimes.register(tx, who)

    def heartbeat(
        self, runtime_id: str, *, ttl_seconds: float, renew_lease_ttl_seconds: float | None = None
    ) -> int:
        """Extend a live runtime, and its unexpired leases if asked; returns how many leases."""
        with self.transaction() as tx:
            return runtimes.heartbeat(tx, runtime_id, ttl_seconds, renew_lease_ttl_seconds)

    def end_instance(self, runtime_id: str, *, reason: str = "clean") -> int:
        """End a runtime, once; returns how many leases it gave up."""
        with self.transaction(durable=True) as tx:
            return runtimes.end(tx, runtime_id, reason)

    def live_instances(self, *, project: str | None = None) -> list[Facts]:
        """Live runtimes by registration time, then id."""
        with self.transaction() as tx:
            return [runtimes.public(row) for row in runtimes.live_rows(tx, project)]

    def resolve_runtime(self, identity: str) -> str:
        """A runtime id, handle or conversation id as the id of a live runtime; never by a prefix."""
        with self.transaction() as tx:
            return identities.resolve(tx, identity)

    # -- leases -------------------------------------------------------------------------------------------

    def claim(
        self,
        runtime_id: str,
        paths: Iterable[str],
        *,
        mode: str = leases.EXCLUSIVE,
        purpose: str = "",
        ttl_seconds: float = 3600,
        project: str | None = None,
        tree: str | None = None,
        scope: str = "checkout",
    ) -> list[str]:
        """Claim all names or none; raises ``ClaimRefused`` with every conflict.

        Without ``tree`` names are plain. With it they are paths relative to that working tree, held in that
        tree (``scope="checkout"``) or in every tree of ``project`` (``scope="repository"``).
        """
        wants = _wants(paths, project, tree, scope)
        leases.check_terms(mode, ttl_seconds)
        return self._claim(runtime_id, wants, mode, purpose, ttl_seconds)

    def claim_resources(
        self,
        runtime_id: str,
        names: Iterable[str],
        *,
        mode: str = leases.EXCLUSIVE,
        purpose: str = "",
        ttl_seconds: float = 3600,
        project: str | None = None,
    ) -> list[str]:
        """Claim names that are no files, such as ``push/origin/main``; with ``project`` in its own space."""
        leases.check_terms(mode, ttl_seconds)
        return self._claim(runtime_id, _resources(names, project), mode, purpose, ttl_seconds)

    def _claim(self, runtime_id: str, wants: list[Want], mode: str, purpose: str, ttl: float) -> list[str]:
        refused: Exception | None = None
        claimed: list[str] = []
        with self.transaction() as tx:
            runtimes.require_live(tx, runtime_id)
            try:
                claimed = leases.claim(tx, runtime_id, wants, mode=mode, purpose=purpose, ttl=ttl)
            except ClaimRefused as error:  # the refusal is on record, so the transaction is kept
                refused = error
        if refused is not None:
            raise refused
        return claimed

    def release(
        self,
        runtime_id: str,
        paths: Iterable[str],
        *,
        project: str | None = None,
        tree: str | None = None,
        scope: str = "checkout",
    ) -> list[str]:
        """Release one's own leases on these names; returns those that there were, sorted."""
        return self._release(runtime_id, _wants(paths, project, tree, scope))

    def release_resources(
        self, runtime_id: str, names: Iterable[str], *, project: str | None = None
    ) -> list[str]:
        """``release`` for names that are no files."""
        return self._release(runtime_id, _resources(names, project))

    def _release(self, runtime_id: str, wants: list[Want]) -> list[str]:
        with self.transaction() as tx:
            runtimes.require_live(tx, runtime_id)
            return leases.release(tx, runtime_id, wants)

    def renew_leases(
        self, runtime_id: str, *, paths: Iterable[str] | None = None, ttl_seconds: float = 3600
    ) -> list[str]:
        """Renew all of one's leases, or these names; returns what was renewed, sorted."""
        wants = None if paths is None else overlap.of_names(_listed(paths))
        with self.transaction() as tx:
            runtimes.require_live(tx, runtime_id)
            return leases.renew(tx, runtime_id, wants, ttl_seconds)

    def renew_resources(
        self,
        runtime_id: str,
        *,
        names: Iterable[str] | None = None,
        paths: Iterable[str] | None = None,
        ttl_seconds: float = 3600,
        project: str | None = None,
    ) -> list[str]:
        """``renew_leases`` for names that are no files."""
        asked = names if names is not None else paths
        wants = None if asked is None else _resources(asked, project)
        with self.transaction() as tx:
            runtimes.require_live(tx, runtime_id)
            return leases.renew(tx, runtime_id, wants, ttl_seconds)

    def active_leases(self, *, project: str | None = None) -> list[Facts]:
        """Every lease that holds, by name, with its holder's ``conversation_id`` and ``handle``."""
        with self.transaction() as tx:
            return [leases.describe(tx, row) for row in leases.active(tx, project)]

    # -- messages -----------------------------------------------------------------------------------------

    def send_message(
        self,
        sender: str,
        *,
        recipient: str | Iterable[str] = messages.EVERYONE,
        kind: str = messages.FYI,
        body: str,
        refs: Iterable[str] = (),
        reply_to: str | None = None,
    ) -> str:
        """Send to everyone (``*``), one or several; all can be reached, or nothing is sent. Returns an id."""
        message = messages.Message(
            body, kind=kind, refs=refs if isinstance(refs, str) else tuple(refs), reply_to=reply_to
        )
        to: str | list[str] = recipient if isinstance(recipient, str) else list(recipient)
        with self.transaction(durable=True) as tx:
            return messages.send(tx, sender, to, message)

    def inbox(self, runtime_id: str, *, limit: int = 100, mark_delivered: bool = True) -> list[Facts]:
        """What is not acked, oldest first, in the state in which it was found (``queued``: a first showing)."""
        with self.transaction(durable=mark_delivered) as tx:
            return [
                messages.public(row) for row in messages.inbox(tx, runtime_id, limit, mark=mark_delivered)
            ]

    def mark_delivered(self, runtime_id: str, message_ids: Iterable[str]) -> int:
        """Mark what was shown, once it has been written out whole; returns how many were queued before."""
        with self.transaction(durable=True) as tx:
            return messages.delivered(tx, runtime_id, _listed(message_ids))

    def ack(self, runtime_id: str, ids: Iterable[str]) -> list[str]:
        """Acknowledge one's own deliveries; returns the message ids newly acked."""
        with self.transaction(durable=True) as tx:
            return messages.ack(tx, runtime_id, _listed(ids))

    def delivery_state(self, message_id: str, runtime_id: str) -> str | None:
        """``queued``, ``delivered`` or ``acked``; ``None`` if there is no such delivery."""
        with self.transaction(readonly=True) as tx:
            return messages.state_of(tx, message_id, runtime_id)

    # -- workspaces ---------------------------------------------------------------------------------------

    def save_workspace_record(self, event: str, record: dict[str, Any]) -> None:
        """Keep the latest full record of a managed workspace; the save is an audit event too."""
        with self.transaction(durable=True) as tx:
            workspaces.save(tx, event, record)

    def workspace_record(self, id_or_handle: str) -> Facts | None:
        with self.transaction(readonly=True) as tx:
            return workspaces.get(tx, id_or_handle)

    def workspace_records(self) -> list[Facts]:
        with self.transaction(readonly=True) as tx:
            return workspaces.all_records(tx)

    def is_managed_workspace(self, path: str | os.PathLike[str]) -> bool:
        """An active record has this real path, and the owner marker inside proves it."""
        with self.transaction(readonly=True) as tx:
            return workspaces.is_managed(tx, os.fspath(path))

    # -- audit --------------------------------------------------------------------------------------------

    def record_event(
        self, event: str, *, runtime_id: str | None = None, details: dict[str, Any] | None = None
    ) -> int:
        """Append an event of one's own name to the audit; returns its id."""
        with self.transaction() as tx:
            return audit.record(tx, event, runtime_id, details)

    def audit_events(self, *, after_id: int = 0) -> list[Facts]:
        with self.transaction(readonly=True) as tx:
            return [audit.public(row) for row in audit.events(tx, after_id)]

    def export_audit_jsonl(
        self,
        destination: str | os.PathLike[str] | TextIO,
        *,
        after_id: int = 0,
        include_secrets: bool = False,
    ) -> int:
        """Write the audit as JSON Lines to a path or an open text stream; returns how many events."""
        return audit.export(self.db, destination, after_id, include_secrets)


def _listed(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _wants(paths: Iterable[str], project: str | None, tree: str | None, scope: str) -> list[Want]:
    if scope not in ("checkout", "repository"):
        raise BadArgument(f"unknown scope {scope!r}: use checkout or repository")
    names = _listed(paths)
    plain = overlap.of_names(names)
    if tree is None:
        return plain if project is None else _resources(names, project)
    from coordhooks.paths import locate

    # Checked like plain names, but resolved as they are spelled: behind a link, ".." leads elsewhere.
    targets = [locate(name.strip(), tree) for name in names]
    wants = [overlap.of_target(target, everywhere=scope == "repository") for target in targets]
    return list({want.key: want for want in wants}.values())


def _resources(names: Iterable[str], project: str | None) -> list[Want]:
    space = overlap.NAMES if project is None else overlap.RESOURCE + project
    return overlap.of_names(_listed(names), space)
