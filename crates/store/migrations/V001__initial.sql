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
    model         TEXT    CHECK (model <> ''),
    tools         TEXT    CHECK (json_valid(tools)),
    limit_steps         INTEGER CHECK (limit_steps >= 1),
    limit_seconds       INTEGER CHECK (limit_seconds >= 1),
    limit_tokens        INTEGER CHECK (limit_tokens >= 1),
    limit_cost_microusd INTEGER CHECK (limit_cost_microusd >= 1),
    revision      INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lasting exchanges with one agent. `head_seq`, `message_count` (of the branch that is shown) and
-- `newest_run_id` (of that branch) are kept in the same transaction as what they count.
-- `workspace` is the name of the folder that its tools are confined to; a fork shares it.
-- A session with `deleted_at_ms` is shown nowhere and is purged once its undo time is over.
CREATE TABLE sessions (
    id             BLOB    PRIMARY KEY CHECK (length(id) = 16),
    agent_id       BLOB    NOT NULL REFERENCES agents (id),
    title          TEXT    CHECK (title <> ''),
    workspace      TEXT    NOT NULL CHECK (workspace <> ''),
    branch         INTEGER NOT NULL DEFAULT 0 CHECK (branch >= 0),
    forked_from    BLOB    CHECK (length(forked_from) = 16),
    head_seq       INTEGER NOT NULL DEFAULT 0 CHECK (head_seq >= 0),
    message_count  INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    newest_run_id  BLOB    CHECK (length(newest_run_id) = 16),
    archived_at_ms INTEGER,
    deleted_at_ms  INTEGER,
    created_at_ms  INTEGER NOT NULL,
    updated_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Read by `session_rows`: the list, newest first.
CREATE INDEX sessions_by_time ON sessions (updated_at_ms DESC, id DESC)
    WHERE archived_at_ms IS NULL AND deleted_at_ms IS NULL;

-- Read by `session_rows`: what was put away.
CREATE INDEX sessions_archived ON sessions (updated_at_ms DESC, id DESC)
    WHERE archived_at_ms IS NOT NULL AND deleted_at_ms IS NULL;

-- Read by `due`: what is to be purged.
CREATE INDEX sessions_deleted ON sessions (deleted_at_ms) WHERE deleted_at_ms IS NOT NULL;

-- Read before a workspace is removed: who else uses it.
CREATE INDEX sessions_by_workspace ON sessions (workspace);

-- Read when an agent goes: whose sessions go on with the default one.
CREATE INDEX sessions_by_agent ON sessions (agent_id);

-- Read when a session is purged: its forks forget where they came from.
CREATE INDEX sessions_by_fork ON sessions (forked_from) WHERE forked_from IS NOT NULL;

-- Branches of a session's history. A branch is its parent's messages before `from_position`
-- followed by its own. Every session has branch 0, which begins at 1 and has no parent.
CREATE TABLE branches (
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    branch        INTEGER NOT NULL CHECK (branch >= 0),
    parent        INTEGER CHECK (parent >= 0 AND parent < branch),
    from_position INTEGER NOT NULL CHECK (from_position >= 1),
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (session_id, branch)
) STRICT, WITHOUT ROWID;

-- Authored pieces of content. `blocks` is a JSON array of {kind, text}.
CREATE TABLE messages (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    branch        INTEGER NOT NULL DEFAULT 0 CHECK (branch >= 0),
    position      INTEGER NOT NULL CHECK (position >= 1),
    role          TEXT    NOT NULL CHECK (role IN ('user', 'agent')),
    status        TEXT    NOT NULL CHECK (status IN ('complete', 'partial')),
    blocks        TEXT    NOT NULL CHECK (json_valid(blocks)),
    run_id        BLOB    REFERENCES runs (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    step_id       BLOB    CHECK (length(step_id) = 16),
    attempt       INTEGER CHECK (attempt >= 1),
    model         TEXT    CHECK (model <> ''),
    created_at_ms INTEGER NOT NULL,
    UNIQUE (session_id, branch, position)
) STRICT, WITHOUT ROWID;

-- Read by `attention_facts`, and by the cascade when a run goes.
CREATE INDEX messages_by_run ON messages (run_id, position);

-- What runs began with (instructions, tools, limits), by the hash of the text: JSON of the engine's.
CREATE TABLE pins (
    hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
    body TEXT NOT NULL CHECK (json_valid(body))
) STRICT, WITHOUT ROWID;

-- Executions of an agent. What was resolved at the start is pinned: `model` and `pin`.
-- `used_…` is what of its budget is used up; continuing after a limit sets it to 0 again.
-- `retry_…` is set while a failed model call waits to be made again. `crashes` counts the ends of
-- the app since the last completed step, `crashes_total` all of them.
CREATE TABLE runs (
    id              BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session_id      BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    agent_id        BLOB    NOT NULL CHECK (length(agent_id) = 16),
    branch          INTEGER NOT NULL DEFAULT 0 CHECK (branch >= 0),
    retry_of        BLOB    CHECK (length(retry_of) = 16),
    message_id      BLOB    NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    request_key     TEXT    CHECK (request_key <> ''),
    model           TEXT    NOT NULL CHECK (model <> ''),
    pin             BLOB    REFERENCES pins (hash),
    status          TEXT    NOT NULL CHECK (status IN (
                        'queued', 'running', 'waiting', 'stopped', 'interrupted',
                        'completed', 'failed', 'cancelled')),
    reason          TEXT    CHECK (reason IN (
                        'stopped_by_user', 'app_closed', 'app_ended', 'superseded', 'discarded',
                        'step_limit', 'time_limit', 'token_limit', 'cost_limit')),
    error_class     TEXT    CHECK (error_class <> ''),
    error_message   TEXT    CHECK (error_message <> ''),
    steps_completed INTEGER NOT NULL DEFAULT 0 CHECK (steps_completed >= 0),
    used_steps      INTEGER NOT NULL DEFAULT 0 CHECK (used_steps >= 0),
    used_ms         INTEGER NOT NULL DEFAULT 0 CHECK (used_ms >= 0),
    used_tokens     INTEGER NOT NULL DEFAULT 0 CHECK (used_tokens >= 0),
    used_cost_microusd INTEGER NOT NULL DEFAULT 0 CHECK (used_cost_microusd >= 0),
    retry_at_ms     INTEGER,
    retry_failed    INTEGER NOT NULL DEFAULT 0 CHECK (retry_failed >= 0),
    retry_class     TEXT    CHECK (retry_class <> ''),
    retry_message   TEXT    CHECK (retry_message <> ''),
    crashes         INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
    crashes_total   INTEGER NOT NULL DEFAULT 0 CHECK (crashes_total >= 0),
    dismissed_at_ms INTEGER,
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

-- Read by `attention_sessions`: runs that wait for a person.
CREATE INDEX runs_needing ON runs (status, id)
    WHERE status IN ('waiting', 'stopped', 'interrupted')
       OR (status = 'failed' AND dismissed_at_ms IS NULL);

-- Read by `due`: model calls that are to be made again.
CREATE INDEX runs_to_retry ON runs (retry_at_ms) WHERE retry_at_ms IS NOT NULL;

-- Read when a branch is selected: its newest run. Read by the cascade when a session goes.
CREATE INDEX runs_by_branch ON runs (session_id, branch, created_at_ms, id);

-- Read by the cascade when a message goes.
CREATE INDEX runs_by_message ON runs (message_id);

-- Read when pins are cleaned up.
CREATE INDEX runs_by_pin ON runs (pin) WHERE pin IS NOT NULL;

-- Requests that were answered with something else than a run of their own: a message that waits
-- or that went into a run. The same key again gets the same answer.
CREATE TABLE requests (
    request_key TEXT PRIMARY KEY CHECK (request_key <> ''),
    session_id  BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    message_id  BLOB NOT NULL CHECK (length(message_id) = 16)
) STRICT, WITHOUT ROWID;

-- Read by the cascade when a session goes.
CREATE INDEX requests_by_session ON requests (session_id);

-- Messages that wait for the run that is going, in order.
CREATE TABLE queue (
    message_id    BLOB    PRIMARY KEY CHECK (length(message_id) = 16),
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL CHECK (position >= 1),
    text          TEXT    NOT NULL CHECK (text <> ''),
    created_at_ms INTEGER NOT NULL,
    UNIQUE (session_id, position)
) STRICT, WITHOUT ROWID;

-- Durable units of a run, in order. A tool call has one, from when its body first starts.
CREATE TABLE steps (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    run_id        BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL CHECK (position >= 1),
    kind          TEXT    NOT NULL CHECK (kind IN ('model_call', 'tool_call')),
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
    cached_tokens  INTEGER CHECK (cached_tokens >= 0),
    cost_microusd  INTEGER CHECK (cost_microusd >= 0),
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
    kind    TEXT    NOT NULL CHECK (kind IN ('text', 'reasoning', 'arguments')),
    body    TEXT    NOT NULL CHECK (body <> ''),
    PRIMARY KEY (step_id, attempt, block, "offset")
) STRICT, WITHOUT ROWID;

-- What the agent asked its tools for. `arguments` are exactly what runs; `proposed_arguments` what
-- the model sent, where the person edited them. `revision` grows with every change and is
-- compared by every change. `result` is what is shown and told to the model; `result_whole` is set
-- where that is cut. `detail` is what the tool noted right before it started. What can be long stands
-- last, so that nobody reads through it on the way to something short.
CREATE TABLE tool_calls (
    id                 BLOB    PRIMARY KEY CHECK (length(id) = 16),
    session_id         BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id             BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    message_id         BLOB    NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    ordinal            INTEGER NOT NULL CHECK (ordinal >= 0),
    provider_id        TEXT    NOT NULL CHECK (provider_id <> ''),
    tool               TEXT    NOT NULL CHECK (tool <> ''),
    tool_hash          BLOB    CHECK (length(tool_hash) = 32),
    effect             TEXT    NOT NULL CHECK (effect IN ('read', 'idempotent', 'once')),
    status             TEXT    NOT NULL CHECK (status IN (
                           'proposed', 'waiting', 'ready', 'running', 'completed', 'failed',
                           'denied', 'skipped', 'in_doubt', 'cancelled')),
    revision           INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1),
    verdict            TEXT    CHECK (verdict IN ('allow', 'ask', 'deny')),
    verdict_rule       BLOB    CHECK (length(verdict_rule) = 16),
    verdict_text       TEXT    CHECK (verdict_text <> ''),
    digest             BLOB    CHECK (length(digest) = 32),
    effect_key         TEXT    NOT NULL CHECK (effect_key <> ''),
    argument_hash      BLOB    NOT NULL CHECK (length(argument_hash) = 32),
    step_id            BLOB    CHECK (length(step_id) = 16),
    result_is_error    INTEGER CHECK (result_is_error IN (0, 1)),
    result_class       TEXT    CHECK (result_class <> ''),
    result_bytes       INTEGER CHECK (result_bytes >= 0),
    doubt_reason       TEXT    CHECK (doubt_reason <> ''),
    can_check          INTEGER NOT NULL DEFAULT 0 CHECK (can_check IN (0, 1)),
    checks             INTEGER NOT NULL DEFAULT 0 CHECK (checks >= 0),
    next_check_at_ms   INTEGER,
    bodies             INTEGER NOT NULL DEFAULT 0 CHECK (bodies >= 0),
    created_at_ms      INTEGER NOT NULL,
    started_at_ms      INTEGER,
    ended_at_ms        INTEGER,
    resources          TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(resources)),
    detail             TEXT    CHECK (json_valid(detail)),
    arguments          TEXT    NOT NULL,
    proposed_arguments TEXT,
    preview            TEXT    CHECK (json_valid(preview)),
    result             TEXT,
    result_whole       TEXT,
    UNIQUE (message_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Read by `open_calls` and by recovery: what waits, runs or is in doubt.
CREATE INDEX tool_calls_open ON tool_calls (session_id, status)
    WHERE status IN ('proposed', 'waiting', 'ready', 'running', 'in_doubt');

-- Read by `due`: calls in doubt that are to be looked at again.
CREATE INDEX tool_calls_to_check ON tool_calls (next_check_at_ms)
    WHERE next_check_at_ms IS NOT NULL;

-- Read by `attention_facts` and `checkpoints_of_run`, and by the cascade when a run goes.
CREATE INDEX tool_calls_by_run ON tool_calls (run_id, status, ended_at_ms);

-- Read by `provider_ids`, and by the cascade when a session goes.
CREATE INDEX tool_calls_by_session ON tool_calls (session_id, provider_id);

-- Questions to the person. A call whose circumstances changed is asked about again: the next round.
CREATE TABLE approvals (
    call_id        BLOB    NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
    round          INTEGER NOT NULL CHECK (round >= 1),
    status         TEXT    NOT NULL CHECK (status IN (
                       'pending', 'allowed', 'denied', 'expired', 'superseded', 'closed')),
    digest         BLOB    NOT NULL CHECK (length(digest) = 32),
    asked_at_ms    INTEGER NOT NULL,
    expires_at_ms  INTEGER,
    decision       TEXT    CHECK (json_valid(decision)),
    decided_at_ms  INTEGER,
    decided_from   TEXT    CHECK (decided_from <> ''),
    consumed_at_ms INTEGER,
    PRIMARY KEY (call_id, round)
) STRICT, WITHOUT ROWID;

-- Read by `due`: questions that expire.
CREATE INDEX approvals_expiring ON approvals (expires_at_ms)
    WHERE status = 'pending' AND expires_at_ms IS NOT NULL;

-- What the person has allowed, wants to be asked about, or has denied for good.
CREATE TABLE rules (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    verdict       TEXT    NOT NULL CHECK (verdict IN ('allow', 'ask', 'deny')),
    tool          TEXT    NOT NULL CHECK (tool <> ''),
    pattern       TEXT    CHECK (pattern <> ''),
    scope         TEXT    NOT NULL CHECK (scope IN ('global', 'workspace', 'session')),
    workspace     TEXT    CHECK (workspace <> ''),
    session_id    BLOB    REFERENCES sessions (id) ON DELETE CASCADE,
    made_by       BLOB    CHECK (length(made_by) = 16),
    created_at_ms INTEGER NOT NULL,
    CHECK ((scope = 'workspace') = (workspace IS NOT NULL)),
    CHECK ((scope = 'session') = (session_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Read by the cascade when a session goes.
CREATE INDEX rules_by_session ON rules (session_id) WHERE session_id IS NOT NULL;

-- Read when a session is purged: rules that its calls made stay, without saying so.
CREATE INDEX rules_by_call ON rules (made_by) WHERE made_by IS NOT NULL;

-- What files held before a tool changed them, by its BLAKE3 hash.
CREATE TABLE blobs (
    hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
    body BLOB NOT NULL
) STRICT;

-- The way back from a file change. `before` is NULL when the file did not exist.
CREATE TABLE checkpoints (
    call_id      BLOB    NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
    path         TEXT    NOT NULL CHECK (path <> ''),
    before       BLOB    REFERENCES blobs (hash),
    after        BLOB    NOT NULL CHECK (length(after) = 32),
    undone_at_ms INTEGER,
    PRIMARY KEY (call_id, path)
) STRICT, WITHOUT ROWID;

-- Read when blobs are cleaned up.
CREATE INDEX checkpoints_by_blob ON checkpoints (before) WHERE before IS NOT NULL;

-- A session's state, kept by its tools.
CREATE TABLE state (
    session_id BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    key        TEXT NOT NULL CHECK (key <> ''),
    value      TEXT NOT NULL CHECK (json_valid(value)),
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;

-- What tool calls want to change in it, merged in the order of the calls when all calls of their
-- message are over.
CREATE TABLE staged_state (
    call_id BLOB    NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    change  TEXT    NOT NULL CHECK (json_valid(change)),
    PRIMARY KEY (call_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What the person has set for the whole app. A key that is not here has its default.
CREATE TABLE settings (
    key   TEXT PRIMARY KEY CHECK (key <> ''),
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

-- Notifications that were shown: one per run and kind.
CREATE TABLE notices (
    run_id      BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind <> ''),
    shown_at_ms INTEGER NOT NULL,
    PRIMARY KEY (run_id, kind)
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
