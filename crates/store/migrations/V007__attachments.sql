-- What a person gives along with a message. What a file holds is in `blobs`, once for each content; what
-- it is was found by looking at that. `expires_at_ms` is set while no message has it: then it is
-- removed at that time. `text` is what a model gets of it where that is not the file itself; it can be
-- long and stands last.
CREATE TABLE attachments (
    id            BLOB    PRIMARY KEY CHECK (length(id) = 16),
    hash          BLOB    NOT NULL REFERENCES blobs (hash),
    name          TEXT    NOT NULL CHECK (name <> ''),
    kind          TEXT    NOT NULL CHECK (kind = 'image' OR kind = 'text' OR kind = 'pdf'),
    media_type    TEXT    NOT NULL CHECK (media_type <> ''),
    bytes         INTEGER NOT NULL CHECK (bytes >= 1),
    width         INTEGER CHECK (width >= 1),
    height        INTEGER CHECK (height >= 1),
    pages         INTEGER CHECK (pages >= 1),
    text_bytes    INTEGER CHECK (text_bytes >= 1),
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    text          TEXT    CHECK (text <> ''),
    CHECK ((kind = 'image') = (text_bytes IS NULL))
) STRICT, WITHOUT ROWID;

-- Read by `due`: what no message was sent with.
CREATE INDEX attachments_expiring ON attachments (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- Read when blobs are cleaned up.
CREATE INDEX attachments_by_blob ON attachments (hash);

-- Which messages have which attachments, in order: messages that were sent, and those that wait, which
-- keep their id when they are sent. A fork has the same attachments as its origin.
CREATE TABLE message_attachments (
    message_id    BLOB    NOT NULL CHECK (length(message_id) = 16),
    ordinal       INTEGER NOT NULL CHECK (ordinal >= 0),
    session_id    BLOB    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    attachment_id BLOB    NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (message_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Read with the messages of a session, and by the cascade when it goes.
CREATE INDEX message_attachments_by_session ON message_attachments (session_id, message_id, ordinal);

-- Read when an attachment is let go: who else has it.
CREATE INDEX message_attachments_by_attachment ON message_attachments (attachment_id);
