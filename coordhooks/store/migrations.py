"""Numbered forward migrations: never edited once released, each committed together with its number.

Migrations only add. ``min_reader`` in ``meta`` is the oldest schema number whose programs may still use the
file, so an older copy of the plugin goes on working beside a newer one.
"""

from coordhooks.errors import StoreUnavailable
from coordhooks.store.engine import Connection, Error

FIRST = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES ('min_reader', 1);

CREATE TABLE runtimes (
    runtime_id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    agent_id TEXT NOT NULL DEFAULT '',
    parent TEXT,
    harness TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    label TEXT NOT NULL DEFAULT '',
    project TEXT NOT NULL DEFAULT '',
    tree TEXT NOT NULL DEFAULT '',
    terminal TEXT NOT NULL DEFAULT '',
    transcript TEXT NOT NULL DEFAULT '',
    attended INTEGER NOT NULL DEFAULT 0,
    pid INTEGER, pid_start TEXT, pid_boot TEXT, pid_ns INTEGER, pid_host TEXT,
    handle TEXT NOT NULL,
    conversation_handle TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    registered_at REAL NOT NULL,
    heartbeat_at REAL NOT NULL,
    ttl REAL NOT NULL,
    expires_at REAL NOT NULL,
    leaving_at REAL,
    ended_at REAL,
    end_reason TEXT,
    turn_id TEXT NOT NULL DEFAULT '',
    turn_at REAL,
    prompted INTEGER NOT NULL DEFAULT 0,
    task TEXT NOT NULL DEFAULT '',
    work TEXT NOT NULL DEFAULT '',
    work_until REAL,
    tokens INTEGER NOT NULL DEFAULT 0,
    assigned TEXT NOT NULL DEFAULT '',
    handed_out INTEGER NOT NULL DEFAULT 0,
    attention_at REAL,
    stops_held INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX runtimes_conversation ON runtimes (conversation_id, agent_id);
CREATE INDEX runtimes_live ON runtimes (project) WHERE ended_at IS NULL;
CREATE INDEX runtimes_pid ON runtimes (pid) WHERE ended_at IS NULL;
CREATE INDEX runtimes_parent ON runtimes (parent) WHERE ended_at IS NULL AND parent IS NOT NULL;
CREATE INDEX runtimes_handle ON runtimes (handle);
CREATE INDEX runtimes_conversation_handle ON runtimes (conversation_handle);
CREATE INDEX runtimes_name ON runtimes (name) WHERE name <> '';

CREATE TABLE leases (
    lease_id INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    key BLOB NOT NULL,
    path BLOB NOT NULL,
    project TEXT,
    rel BLOB,
    tree TEXT NOT NULL DEFAULT '',
    dev INTEGER, ino INTEGER,
    bounded INTEGER NOT NULL DEFAULT 0,
    runtime_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    purpose TEXT NOT NULL DEFAULT '',
    call_id TEXT,
    claimed_at REAL NOT NULL,
    touched_at REAL NOT NULL,
    ttl REAL NOT NULL,
    expires_at REAL NOT NULL,
    UNIQUE (space, key, runtime_id)
);
CREATE INDEX leases_rel ON leases (project, rel) WHERE project IS NOT NULL;
CREATE INDEX leases_inode ON leases (ino, dev) WHERE ino IS NOT NULL;
CREATE INDEX leases_runtime ON leases (runtime_id);

CREATE TABLE waits (
    runtime_id TEXT NOT NULL,
    space TEXT NOT NULL,
    key BLOB NOT NULL,
    path BLOB NOT NULL,
    project TEXT,
    rel BLOB,
    holder TEXT NOT NULL,
    turn_id TEXT NOT NULL DEFAULT '',
    call_id TEXT NOT NULL DEFAULT '',
    refusals INTEGER NOT NULL DEFAULT 1,
    since REAL NOT NULL,
    PRIMARY KEY (runtime_id, space, key)
) WITHOUT ROWID;
CREATE INDEX waits_holder ON waits (holder);

CREATE TABLE calls (
    runtime_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    coord INTEGER NOT NULL DEFAULT 0,
    head TEXT NOT NULL DEFAULT '',
    opened_at REAL NOT NULL,
    PRIMARY KEY (runtime_id, call_id)
) WITHOUT ROWID;

CREATE TABLE writes (
    key BLOB NOT NULL,
    conversation_id TEXT NOT NULL,
    runtime_id TEXT NOT NULL,
    path BLOB NOT NULL,
    project TEXT NOT NULL,
    tree TEXT NOT NULL,
    rel BLOB NOT NULL,
    task TEXT NOT NULL DEFAULT '',
    first_at REAL NOT NULL,
    at REAL NOT NULL,
    size INTEGER, mtime_ns INTEGER, ino INTEGER, digest BLOB,
    landed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, conversation_id)
) WITHOUT ROWID;
CREATE INDEX writes_conversation ON writes (conversation_id);
CREATE INDEX writes_tree ON writes (tree, landed);

CREATE TABLE watches (
    runtime_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    key BLOB NOT NULL,
    path BLOB NOT NULL,
    holder TEXT NOT NULL,
    size INTEGER, mtime_ns INTEGER, ino INTEGER, digest BLOB,
    at REAL NOT NULL,
    PRIMARY KEY (runtime_id, call_id, key)
) WITHOUT ROWID;
CREATE INDEX watches_key ON watches (key);

CREATE TABLE notes (
    runtime_id TEXT NOT NULL,
    key BLOB NOT NULL,
    about TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (runtime_id, key, about)
) WITHOUT ROWID;

CREATE TABLE messages (
    message_id TEXT PRIMARY KEY,
    sender TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    refs TEXT NOT NULL,
    reply_to TEXT,
    created_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX messages_sender ON messages (sender, created_at);

CREATE TABLE deliveries (
    delivery_id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL,
    runtime_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued',
    requeued INTEGER NOT NULL DEFAULT 0,
    reserved_until REAL NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    delivered_at REAL,
    acked_at REAL,
    UNIQUE (message_id, runtime_id)
);
CREATE INDEX deliveries_open ON deliveries (runtime_id, state) WHERE state <> 'acked';

CREATE TABLE workspaces (
    instance_id TEXT PRIMARY KEY,
    handle TEXT NOT NULL,
    path BLOB NOT NULL,
    active INTEGER NOT NULL,
    record TEXT NOT NULL,
    saved_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX workspaces_path ON workspaces (path) WHERE active;
CREATE INDEX workspaces_handle ON workspaces (handle);

CREATE TABLE audit (
    event_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    event TEXT NOT NULL,
    runtime_id TEXT,
    details TEXT NOT NULL
);

CREATE TABLE settings (
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    value NOT NULL,
    PRIMARY KEY (project, name)
) WITHOUT ROWID;

CREATE TABLE untold (
    runtime_id TEXT NOT NULL,
    what TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at REAL NOT NULL,
    PRIMARY KEY (runtime_id, what)
) WITHOUT ROWID;
"""

MIGRATIONS = (FIRST,)
CURRENT = len(MIGRATIONS)


def migrate(connection: Connection) -> None:
    """Bring the file up to ``CURRENT``. A file that demands a newer reader is left untouched and refused."""
    version = _version(connection)
    if version == CURRENT:
        return
    if version > CURRENT:
        _check_reader(connection, version)
        return
    if version < 1 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreUnavailable("the file is another program's database, no store of coordhooks")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(connection) + 1, CURRENT + 1):  # read again: another may have migrated
            for statement in MIGRATIONS[number - 1].split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_reader(connection: Connection, version: int) -> None:
    try:
        row = connection.execute("SELECT value FROM meta WHERE name = 'min_reader'").fetchone()
    except Error:  # so new, or so foreign, that it has not even this table
        row = None
    if row is None or not isinstance(row[0], int) or row[0] > CURRENT:
        raise StoreUnavailable(
            f"the store has schema {version} and this program knows {CURRENT}: upgrade coordhooks"
        )
