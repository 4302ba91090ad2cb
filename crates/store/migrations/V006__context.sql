-- What a call wrote to its provider's cache, and how full the model's window was after it, where that
-- is known: `fill_tokens` of `fill_of`, counted by the provider or estimated.
ALTER TABLE attempts ADD COLUMN cache_write_tokens INTEGER CHECK (cache_write_tokens >= 0);
ALTER TABLE attempts ADD COLUMN fill_tokens INTEGER CHECK (fill_tokens >= 0);
ALTER TABLE attempts ADD COLUMN fill_of INTEGER CHECK (fill_of >= 1);
ALTER TABLE attempts ADD COLUMN fill_is_estimated INTEGER
    CHECK (fill_is_estimated = 0 OR fill_is_estimated = 1);

-- What models are told in the place of all messages up to one, which is named by its place. It holds in
-- every branch that has that message, and in no other. `kept` is the place of the person's message among
-- them that is told as it is. The messages stay.
CREATE TABLE summaries (
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    branch        INTEGER NOT NULL CHECK (branch >= 0),
    position      INTEGER NOT NULL CHECK (position >= 1),
    kept          INTEGER CHECK (kept >= 1 AND kept <= position),
    model         TEXT    NOT NULL CHECK (model <> ''),
    created_at_ms INTEGER NOT NULL,
    body          TEXT    NOT NULL CHECK (body <> ''),
    PRIMARY KEY (session_id, branch, position)
) STRICT, WITHOUT ROWID;

-- A third kind of step. No row is touched: the stored text of the table is changed in place, as SQLite's
-- manual describes it for exactly this.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (kind IN (''model_call'', ''tool_call''))',
'CHECK (
        kind = ''model_call'' OR kind = ''tool_call'' OR kind = ''compaction'')')
WHERE type = 'table' AND name = 'steps';

PRAGMA writable_schema = RESET;
