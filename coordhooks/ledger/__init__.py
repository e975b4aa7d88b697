"""The task ledger: an append-only log of task events, and the projections that are made from it."""

from coordhooks.ledger.ledger import Ledger
from coordhooks.ledger.legacy import normalize_legacy_event_sequence
from coordhooks.ledger.reader import Damage, read_log

__all__ = ["Damage", "Ledger", "normalize_legacy_event_sequence", "read_log"]
