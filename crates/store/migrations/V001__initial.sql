-- Every table is STRICT. "Not set" is NULL, never ''. Enumerated columns have a CHECK.
-- Ids are UUIDv7 in 16 bytes. Times are milliseconds since 1970 and end in _at_ms.

-- The one row that says which process owns this file. `epoch` grows by one at every start and is
-- checked in every transaction, so that a process that lost its place cannot write.
-- `barriers` is written only to have something to fsync when relaxed commits must be secured.
CREATE TABLE runtime (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    epoch         INTEGER NOT NULL CHECK (epoch >= 0),
    pid           INTEGER NOT NULL CHECK (pid >= 0),
    app_version   TEXT    NOT NULL CHECK (app_version <> ''),
    clean_exit    INTEGER NOT NULL CHECK (clean_exit IN (0, 1)),
    barriers      INTEGER NOT NULL DEFAULT 0,
    started_at_ms INTEGER NOT NULL
) STRICT;

-- Named configurations.
CREATE TABLE agents (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    name          TEXT    NOT NULL CHECK (name <> ''),
    instructions  TEXT    CHECK (instructions <> ''),
    created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lasting exchanges with one agent. `head_seq`, `message_count` and `newest_run_id` are kept in
-- the same transaction as what they count.
CREATE TABLE sessions (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    agent_id      BLOB    NOT NULL REFERENCES agents (id),
    title         TEXT    CHECK (title <> ''),
    head_seq      INTEGER NOT NULL DEFAULT 0 CHECK (head_seq >= 0),
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    newest_run_id BLOB    CHECK (length(newest_run_id) = 16),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Read by `session_rows`: the list, newest first.
CREATE INDEX sessions_by_time ON sessions (updated_at_ms DESC, id DESC);

-- Authored pieces of content. `blocks` is a JSON array of {kind, text}.
CREATE TABLE messages (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL CHECK (position >= 1),
    role          TEXT    NOT NULL CHECK (role IN ('user', 'agent')),
    status        TEXT    NOT NULL CHECK (status IN ('complete', 'partial')),
    blocks        TEXT    NOT NULL CHECK (json_valid(blocks)),
    run_id        BLOB    REFERENCES runs (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    step_id       BLOB    CHECK (length(step_id) = 16),
    attempt       INTEGER CHECK (attempt >= 1),
    model         TEXT    CHECK (model <> ''),
    created_at_ms INTEGER NOT NULL,
    UNIQUE (session_id, position)
) STRICT, WITHOUT ROWID;

-- Read by `attention_facts`, and by the cascade when a run goes.
CREATE INDEX messages_by_run ON messages (run_id, position);

-- Executions of an agent. What was resolved at the start (model, instructions) is pinned here.
CREATE TABLE runs (
    id              BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session_id      BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    agent_id        BLOB    NOT NULL REFERENCES agents (id),
    message_id      BLOB    NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    request_key     TEXT    CHECK (request_key <> ''),
    model           TEXT    NOT NULL CHECK (model <> ''),
    instructions    TEXT    CHECK (instructions <> ''),
    status          TEXT    NOT NULL CHECK (status IN (
                        'queued', 'running', 'waiting', 'stopped', 'interrupted',
                        'completed', 'failed', 'cancelled')),
    reason          TEXT    CHECK (reason IN (
                        'stopped_by_user', 'app_closed', 'app_ended', 'superseded', 'discarded')),
    error_class     TEXT    CHECK (error_class <> ''),
    error_message   TEXT    CHECK (error_message <> ''),
    steps_completed INTEGER NOT NULL DEFAULT 0 CHECK (steps_completed >= 0),
    created_at_ms   INTEGER NOT NULL,
    updated_at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- At most one live run per session, whoever asks.
CREATE UNIQUE INDEX runs_one_live_per_session ON runs (session_id)
    WHERE status IN ('queued', 'running', 'waiting');

-- Read by `run_of_request_key`: the same request twice is the same run.
CREATE UNIQUE INDEX runs_by_request_key ON runs (request_key) WHERE request_key IS NOT NULL;

-- Read by `live_sessions`: what recovery takes up.
CREATE INDEX runs_live ON runs (status, id) WHERE status IN ('queued', 'running', 'waiting');

-- Durable units of a run, in order.
CREATE TABLE steps (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    run_id        BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL CHECK (position >= 1),
    kind          TEXT    NOT NULL CHECK (kind IN ('model_call')),
    status        TEXT    NOT NULL CHECK (status IN (
                      'planned', 'running', 'completed', 'failed', 'interrupted', 'cancelled')),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    UNIQUE (run_id, position)
) STRICT, WITHOUT ROWID;

-- Tries of a step. A row that ended is never rewritten. `streamed_bytes` is the sum over all
-- blocks of what `deltas` holds or held: appending and ending compare it, so neither can miss
-- the other.
CREATE TABLE attempts (
    step_id        BLOB    NOT NULL REFERENCES steps (id) ON DELETE CASCADE,
    attempt        INTEGER NOT NULL CHECK (attempt >= 1),
    status         TEXT    NOT NULL CHECK (status IN (
                       'running', 'completed', 'failed', 'interrupted', 'cancelled')),
    streamed_bytes INTEGER NOT NULL DEFAULT 0 CHECK (streamed_bytes >= 0),
    input_tokens   INTEGER CHECK (input_tokens >= 0),
    output_tokens  INTEGER CHECK (output_tokens >= 0),
    error_class    TEXT    CHECK (error_class <> ''),
    error_message  TEXT    CHECK (error_message <> ''),
    started_at_ms  INTEGER NOT NULL,
    ended_at_ms    INTEGER,
    PRIMARY KEY (step_id, attempt)
) STRICT, WITHOUT ROWID;

-- Streamed content of the running attempt, deleted with its outcome.
CREATE TABLE deltas (
    step_id BLOB    NOT NULL REFERENCES steps (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL CHECK (attempt >= 1),
    block   INTEGER NOT NULL CHECK (block >= 0),
    "offset" INTEGER NOT NULL CHECK ("offset" >= 0),
    kind    TEXT    NOT NULL CHECK (kind IN ('text', 'reasoning')),
    body    TEXT    NOT NULL CHECK (body <> ''),
    PRIMARY KEY (step_id, attempt, block, "offset")
) STRICT, WITHOUT ROWID;

-- The facts of a session, append-only, `seq` dense from 1. `v` is the version of the stored form.
CREATE TABLE events (
    session_id BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL CHECK (seq >= 1),
    at_ms      INTEGER NOT NULL,
    v          INTEGER NOT NULL CHECK (v >= 1),
    kind       TEXT    NOT NULL CHECK (kind <> ''),
    body       TEXT    NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_are_append_only BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;
