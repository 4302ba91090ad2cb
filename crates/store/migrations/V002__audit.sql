-- What was asked, decided and done, in the order of the commits, `seq` dense from 1: written in the
-- transaction that does it, read by `holdfast audit` alone. Ids and hashes of content, never the
-- content: a row outlives the session it is about and still gives nothing of it away.
-- `subject_id` is what `name` speaks of where that is no session, run or call: a message, a step,
-- a rule, an agent. `content` is the BLAKE3 hash of what was sent, decided, asked for or given back.
-- `prev` is the hash of the row before (zeros in the first one), `hash` that of this row and `prev`:
-- a row that is changed, taken out or put in breaks the chain. `audit.head` says how long it is.
CREATE TABLE audit (
    seq        INTEGER PRIMARY KEY CHECK (seq >= 1),
    at_ms      INTEGER NOT NULL,
    epoch      INTEGER NOT NULL CHECK (epoch >= 0),
    kind       TEXT    NOT NULL CHECK (kind IN (
                   'chain', 'command', 'app', 'recovery', 'decision', 'effect', 'record')),
    name       TEXT    NOT NULL CHECK (name <> ''),
    session_id BLOB    CHECK (length(session_id) = 16),
    run_id     BLOB    CHECK (length(run_id) = 16),
    call_id    BLOB    CHECK (length(call_id) = 16),
    subject_id BLOB    CHECK (length(subject_id) = 16),
    status     TEXT    CHECK (status <> ''),
    content    BLOB    CHECK (length(content) = 32),
    prev       BLOB    NOT NULL CHECK (length(prev) = 32),
    hash       BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_keeps_its_rows BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit keeps its rows');
END;
