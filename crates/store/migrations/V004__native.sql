-- Why a reply ended where its model was not done: it reached its length limit, or its provider
-- paused. Read with every message: a person is told.
ALTER TABLE messages ADD COLUMN ending TEXT CHECK (ending IN ('length', 'paused'));

-- What a provider said in its own words, where that must be sent back unchanged: JSON of
-- {dialect, model, items}. Read for a model and for a copy of the session, never for a window.
-- It is the last column, so that whoever reads only messages does not come past it.
ALTER TABLE messages ADD COLUMN native TEXT CHECK (json_valid(native));
