//! The stable hooks of the page for tests that drive it: the values of `data-testid`.
//!
//! Beside them: `session-row` has `data-session-id` and `data-status`; `message` has `data-role`
//! (`user`, `agent`) and `data-status` (`complete`, `partial`, `streaming`).

/// The list of sessions.
pub(crate) const SESSION_LIST: &str = "session-list";
/// One session in it.
pub(crate) const SESSION_ROW: &str = "session-row";
/// The button for a new session.
pub(crate) const NEW_SESSION: &str = "new-session";
/// The count of sessions that need a person; opens the resume panel.
pub(crate) const ATTENTION_BADGE: &str = "attention-badge";
/// All messages of the open session.
pub(crate) const TRANSCRIPT: &str = "transcript";
/// One message in it.
pub(crate) const MESSAGE: &str = "message";
/// Who wrote a message, when it is the built-in guide.
pub(crate) const GUIDE_LABEL: &str = "guide-label";
/// The text field for a message.
pub(crate) const COMPOSER_INPUT: &str = "composer-input";
/// The button that sends it.
pub(crate) const COMPOSER_SEND: &str = "composer-send";
/// Stops the run of the open session.
pub(crate) const RUN_STOP: &str = "run-stop";
/// Resumes it.
pub(crate) const RUN_RESUME: &str = "run-resume";
/// Discards it.
pub(crate) const RUN_DISCARD: &str = "run-discard";
/// What a session without messages shows.
pub(crate) const EMPTY_STATE: &str = "empty-state";
/// A message that can be sent with one click.
pub(crate) const EXAMPLE_PROMPT: &str = "example-prompt";
/// Everything that needs a person.
pub(crate) const RESUME_PANEL: &str = "resume-panel";
/// One session in it.
pub(crate) const RESUME_ROW: &str = "resume-row";
/// Resumes its run.
pub(crate) const RESUME_ROW_RESUME: &str = "resume-row-resume";
/// Discards its run, after a second click.
pub(crate) const RESUME_ROW_DISCARD: &str = "resume-row-discard";
/// Says that the engine does not answer.
pub(crate) const CONNECTION_LOST: &str = "connection-lost";
/// Says that the engine could not start.
pub(crate) const START_FAILED: &str = "start-failed";
/// Restores the newest backup, after a second click.
pub(crate) const RESTORE_BACKUP: &str = "restore-backup";
