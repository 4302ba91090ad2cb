-- Where models are reached. Never a key: `secrets` says which ones are kept and where, as JSON of
-- [{header, place}]. `models` is what the provider listed last, `listed_at_ms` when that was; both are
-- NULL until it has. `headers` and `options` are JSON as the person gave them, without secret values.
-- Read whole at the start and whenever a person looks.
CREATE TABLE providers (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    name          TEXT    NOT NULL CHECK (name <> ''),
    dialect       TEXT    NOT NULL CHECK (dialect <> ''),
    base_url      TEXT    NOT NULL CHECK (base_url <> ''),
    headers       TEXT    NOT NULL CHECK (json_valid(headers)),
    options       TEXT    NOT NULL CHECK (json_valid(options)),
    secrets       TEXT    NOT NULL CHECK (json_valid(secrets)),
    is_enabled    INTEGER NOT NULL CHECK (is_enabled = 0 OR is_enabled = 1),
    revision      INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1),
    listed_at_ms  INTEGER,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    models        TEXT    CHECK (json_valid(models))
) STRICT, WITHOUT ROWID;

-- The model that was chosen for a session; NULL where its agent's counts.
ALTER TABLE sessions ADD COLUMN model TEXT CHECK (model <> '');
