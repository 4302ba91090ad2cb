//! The stable hooks of the page for tests that drive it: the values of `data-testid`.
//!
//! Beside them: `session-row` has `data-session-id` and `data-status`; `message` has `data-role`
//! (`user`, `agent`) and `data-status` (`complete`, `partial`, `unreadable`, `streaming`). The cards of
//! tool calls have `data-call-id`, `data-status` and `data-ready`: a click on an approval or doubt card
//! counts once that is `true`. `run-status` has `data-status`.

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
/// How full the model's window is, and what the session cost.
pub(crate) const METER: &str = "meter";
/// The same in full.
pub(crate) const METER_CARD: &str = "meter-card";
/// Where the model is told a summary from.
pub(crate) const SUMMARY_MARK: &str = "summary-mark";
/// The model is writing one.
pub(crate) const SUMMARISING: &str = "summarising";
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
/// Where the run of the open session stands.
pub(crate) const RUN_STATUS: &str = "run-status";
/// Tries a failed run again.
pub(crate) const RUN_RETRY: &str = "run-retry";
/// Stops the run and sends the draft at once.
pub(crate) const COMPOSER_STOP_AND_SEND: &str = "composer-stop-and-send";
/// The agent of a session that is not created yet.
pub(crate) const AGENT_PICKER: &str = "agent-picker";
/// The agent of the open session.
pub(crate) const SESSION_AGENT: &str = "session-agent";
/// A tool call that needs nobody.
pub(crate) const CALL_CARD: &str = "call-card";
/// Unfolds it.
pub(crate) const CALL_TOGGLE: &str = "call-toggle";
/// What it gave back.
pub(crate) const CALL_RESULT: &str = "call-result";
/// Reads on in a long result.
pub(crate) const RESULT_MORE: &str = "result-more";
/// Takes its file changes back.
pub(crate) const CALL_UNDO: &str = "call-undo";
/// Shows all of a long text.
pub(crate) const SHOW_ALL: &str = "show-all";
/// A tool call that asks the person.
pub(crate) const APPROVAL_CARD: &str = "approval-card";
/// Allows it once.
pub(crate) const APPROVAL_ALLOW: &str = "approval-allow";
/// Allows it in this session.
pub(crate) const APPROVAL_SESSION: &str = "approval-session";
/// Opens the form for a rule.
pub(crate) const APPROVAL_ALWAYS: &str = "approval-always";
/// The pattern of that rule.
pub(crate) const APPROVAL_PATTERN: &str = "approval-pattern";
/// Makes the rule and allows the call.
pub(crate) const APPROVAL_ALWAYS_ALLOW: &str = "approval-always-allow";
/// Opens the form for other arguments.
pub(crate) const APPROVAL_EDIT: &str = "approval-edit";
/// Those arguments.
pub(crate) const APPROVAL_EDIT_TEXT: &str = "approval-edit-text";
/// Allows the call with them.
pub(crate) const APPROVAL_EDIT_ALLOW: &str = "approval-edit-allow";
/// Leaves either form.
pub(crate) const APPROVAL_BACK: &str = "approval-back";
/// Denies it.
pub(crate) const APPROVAL_DENY: &str = "approval-deny";
/// Why.
pub(crate) const APPROVAL_DENY_REASON: &str = "approval-deny-reason";
/// A tool call whose outcome is unknown.
pub(crate) const DOUBT_CARD: &str = "doubt-card";
/// Lets the tool look what happened.
pub(crate) const DOUBT_CHECK: &str = "doubt-check";
/// Opens the form that says it happened.
pub(crate) const DOUBT_HAPPENED: &str = "doubt-happened";
/// What came of it.
pub(crate) const DOUBT_RESULT: &str = "doubt-result";
/// Says that it happened.
pub(crate) const DOUBT_HAPPENED_SEND: &str = "doubt-happened-send";
/// Runs it again, after a second click.
pub(crate) const DOUBT_AGAIN: &str = "doubt-again";
/// Goes on without it.
pub(crate) const DOUBT_SKIP: &str = "doubt-skip";
/// Says how many calls wait for the person.
pub(crate) const WAITING_BAR: &str = "waiting-bar";
/// Shows the first of them.
pub(crate) const WAITING_SHOW: &str = "waiting-show";
/// Allows all of them, after a second click.
pub(crate) const WAITING_ALLOW_ALL: &str = "waiting-allow-all";
/// Denies all of them, after a second click.
pub(crate) const WAITING_DENY_ALL: &str = "waiting-deny-all";
/// A message that waits for its turn.
pub(crate) const QUEUED_MESSAGE: &str = "queued-message";
/// Begins to change it.
pub(crate) const QUEUED_EDIT: &str = "queued-edit";
/// Its new text.
pub(crate) const QUEUED_EDIT_TEXT: &str = "queued-edit-text";
/// Keeps that.
pub(crate) const QUEUED_EDIT_SAVE: &str = "queued-edit-save";
/// Takes it away.
pub(crate) const QUEUED_REMOVE: &str = "queued-remove";
/// Sends the messages that were held.
pub(crate) const QUEUE_SEND_NOW: &str = "queue-send-now";
/// Begins to write a message anew.
pub(crate) const MESSAGE_EDIT: &str = "message-edit";
/// Its new text.
pub(crate) const MESSAGE_EDIT_TEXT: &str = "message-edit-text";
/// Sends that.
pub(crate) const MESSAGE_EDIT_SEND: &str = "message-edit-send";
/// Has a message answered again.
pub(crate) const MESSAGE_REGENERATE: &str = "message-regenerate";
/// Makes a new session of the history up to a message.
pub(crate) const MESSAGE_FORK: &str = "message-fork";
/// Says which of the branches is shown.
pub(crate) const BRANCH_SWITCHER: &str = "branch-switcher";
/// Shows the branch before.
pub(crate) const BRANCH_PREVIOUS: &str = "branch-previous";
/// Shows the branch after.
pub(crate) const BRANCH_NEXT: &str = "branch-next";
/// Opens the session at the card.
pub(crate) const RESUME_ROW_DECIDE: &str = "resume-row-decide";
/// Tries its run again.
pub(crate) const RESUME_ROW_RETRY: &str = "resume-row-retry";
/// Opens its session.
pub(crate) const RESUME_ROW_OPEN: &str = "resume-row-open";
/// What can be done with a session.
pub(crate) const SESSION_MENU: &str = "session-menu";
/// Writes its title.
pub(crate) const SESSION_RENAME: &str = "session-rename";
/// Puts it away, or takes it back.
pub(crate) const SESSION_ARCHIVE: &str = "session-archive";
/// Deletes it.
pub(crate) const SESSION_DELETE: &str = "session-delete";
/// Puts it on the clipboard as Markdown.
pub(crate) const SESSION_COPY_MARKDOWN: &str = "session-copy-markdown";
/// Puts it on the clipboard as JSON.
pub(crate) const SESSION_COPY_JSON: &str = "session-copy-json";
/// Saves it as Markdown.
pub(crate) const SESSION_SAVE_MARKDOWN: &str = "session-save-markdown";
/// Saves it as JSON.
pub(crate) const SESSION_SAVE_JSON: &str = "session-save-json";
/// What cannot be read of a session.
pub(crate) const SESSION_PROBLEM: &str = "session-problem";
/// Shows what was put away.
pub(crate) const ARCHIVED_FILTER: &str = "archived-filter";
/// Chooses a file to import.
pub(crate) const SESSION_IMPORT: &str = "session-import";
/// Says that a session was deleted.
pub(crate) const TOAST: &str = "toast";
/// Takes it back.
pub(crate) const TOAST_UNDO: &str = "toast-undo";
/// Opens the agents.
pub(crate) const OPEN_AGENTS: &str = "open-agents";
/// All agents.
pub(crate) const AGENTS_VIEW: &str = "agents-view";
/// One agent.
pub(crate) const AGENT_ROW: &str = "agent-row";
/// Begins a new one.
pub(crate) const AGENT_NEW: &str = "agent-new";
/// The form of one.
pub(crate) const AGENT_FORM: &str = "agent-form";
/// Its name.
pub(crate) const AGENT_NAME: &str = "agent-name";
/// Its instructions.
pub(crate) const AGENT_INSTRUCTIONS: &str = "agent-instructions";
/// Its model.
pub(crate) const AGENT_MODEL: &str = "agent-model";
/// One of its tools; `data-tool` names it.
pub(crate) const AGENT_TOOL: &str = "agent-tool";
/// Its limits; `data-limit` names which.
pub(crate) const AGENT_LIMIT: &str = "agent-limit";
/// Keeps it.
pub(crate) const AGENT_SAVE: &str = "agent-save";
/// Copies it.
pub(crate) const AGENT_DUPLICATE: &str = "agent-duplicate";
/// Deletes it, after a second click.
pub(crate) const AGENT_DELETE: &str = "agent-delete";
/// Says that it was changed meanwhile; takes the newer one.
pub(crate) const AGENT_RELOAD: &str = "agent-reload";
/// Opens the settings.
pub(crate) const OPEN_SETTINGS: &str = "open-settings";
/// The settings.
pub(crate) const SETTINGS_VIEW: &str = "settings-view";
/// What happens at start with interrupted runs.
pub(crate) const SETTING_RECOVERY: &str = "setting-recovery";
/// Whether questions stay over a restart.
pub(crate) const SETTING_KEEP_APPROVALS: &str = "setting-keep-approvals";
/// Minutes after which a question expires.
pub(crate) const SETTING_APPROVAL_MINUTES: &str = "setting-approval-minutes";
/// Whether the system may show notices.
pub(crate) const SETTING_NOTIFICATIONS: &str = "setting-notifications";
/// Which way requests leave this computer.
pub(crate) const SETTING_PROXY: &str = "setting-proxy";
/// The address of the proxy.
pub(crate) const SETTING_PROXY_URL: &str = "setting-proxy-url";
/// One rule.
pub(crate) const RULE_ROW: &str = "rule-row";
/// Takes it back.
pub(crate) const RULE_REVOKE: &str = "rule-revoke";
/// The verdict of a new rule.
pub(crate) const RULE_VERDICT: &str = "rule-verdict";
/// Its tool.
pub(crate) const RULE_TOOL: &str = "rule-tool";
/// Its pattern.
pub(crate) const RULE_PATTERN: &str = "rule-pattern";
/// Adds it.
pub(crate) const RULE_ADD: &str = "rule-add";
/// The folder that holds everything.
pub(crate) const DATA_FOLDER: &str = "data-folder";
/// Opens the models page.
pub(crate) const OPEN_MODELS: &str = "open-models";
/// Providers and their models.
pub(crate) const MODELS_VIEW: &str = "models-view";
/// Who answers where nobody says otherwise.
pub(crate) const DEFAULT_MODEL: &str = "default-model";
/// A provider that can be added; `data-preset` names it.
pub(crate) const PRESET: &str = "preset";
/// One provider; `data-provider-id` and `data-state` (`ok`, `disabled`, `paused`) say which and how it stands.
pub(crate) const PROVIDER_CARD: &str = "provider-card";
/// Why it is paused.
pub(crate) const PROVIDER_PAUSED: &str = "provider-paused";
/// Tests it.
pub(crate) const PROVIDER_TEST: &str = "provider-test";
/// What came of that; `data-result` is `works` or `fault`.
pub(crate) const PROVIDER_TESTED: &str = "provider-tested";
/// Ends its pause.
pub(crate) const PROVIDER_RESUME: &str = "provider-resume";
/// Opens it with its key field.
pub(crate) const PROVIDER_NEW_KEY: &str = "provider-new-key";
/// Opens its form.
pub(crate) const PROVIDER_EDIT: &str = "provider-edit";
/// Switches it off or on.
pub(crate) const PROVIDER_SWITCH: &str = "provider-switch";
/// Deletes it, after a second click.
pub(crate) const PROVIDER_DELETE: &str = "provider-delete";
/// Deletes it although its models are used.
pub(crate) const PROVIDER_DELETE_ANYWAY: &str = "provider-delete-anyway";
/// The form of one.
pub(crate) const PROVIDER_FORM: &str = "provider-form";
/// Its name.
pub(crate) const PROVIDER_NAME: &str = "provider-name";
/// Its address.
pub(crate) const PROVIDER_ADDRESS: &str = "provider-address";
/// Its key, which is only ever written.
pub(crate) const PROVIDER_KEY: &str = "provider-key";
/// Where its key is kept.
pub(crate) const PROVIDER_KEY_KEPT: &str = "provider-key-kept";
/// Forgets its key, after a second click.
pub(crate) const PROVIDER_KEY_FORGET: &str = "provider-key-forget";
/// Unfolds what few need.
pub(crate) const PROVIDER_ADVANCED: &str = "provider-advanced";
/// How it is spoken to.
pub(crate) const PROVIDER_DIALECT: &str = "provider-dialect";
/// The version of its API.
pub(crate) const PROVIDER_VERSION: &str = "provider-version";
/// Where its key goes.
pub(crate) const PROVIDER_KEY_HEADER: &str = "provider-key-header";
/// The longest reply.
pub(crate) const PROVIDER_MAX_OUTPUT: &str = "provider-max-output";
/// Whether tool calls that are written as text count.
pub(crate) const PROVIDER_CALLS_IN_TEXT: &str = "provider-calls-in-text";
/// Adds a header.
pub(crate) const HEADER_ADD: &str = "header-add";
/// The name of a header.
pub(crate) const HEADER_NAME: &str = "header-name";
/// Its value.
pub(crate) const HEADER_VALUE: &str = "header-value";
/// Whether its value is kept like a key.
pub(crate) const HEADER_SECRET: &str = "header-secret";
/// Takes a header away.
pub(crate) const HEADER_REMOVE: &str = "header-remove";
/// Keeps what is written and tests it.
pub(crate) const PROVIDER_SAVE: &str = "provider-save";
/// What is wrong, beside its field; `data-place` (`address`, `key`, `whole`) says which.
pub(crate) const PROVIDER_FAULT: &str = "provider-fault";
/// Says that it was changed meanwhile; takes the newer one.
pub(crate) const PROVIDER_RELOAD: &str = "provider-reload";
/// Asks whether keys may be kept in an encrypted file.
pub(crate) const KEY_STORE_QUESTION: &str = "key-store-question";
/// Says yes to that.
pub(crate) const KEY_STORE_FILE: &str = "key-store-file";
/// Tries the keychain again.
pub(crate) const KEY_STORE_AGAIN: &str = "key-store-again";
/// Unfolds the models of a provider.
pub(crate) const PROVIDER_MODELS: &str = "provider-models";
/// Asks for its models anew.
pub(crate) const MODELS_REFRESH: &str = "models-refresh";
/// Filters its models.
pub(crate) const MODELS_FILTER: &str = "models-filter";
/// One model of a provider; `data-model` has its id.
pub(crate) const MODEL_ROW: &str = "model-row";
/// Makes it the default.
pub(crate) const MODEL_DEFAULT: &str = "model-default";
/// Begins to write its price.
pub(crate) const MODEL_PRICE: &str = "model-price";
/// What reading a million tokens costs.
pub(crate) const PRICE_INPUT: &str = "price-input";
/// What writing a million tokens costs.
pub(crate) const PRICE_OUTPUT: &str = "price-output";
/// Keeps that.
pub(crate) const PRICE_SAVE: &str = "price-save";
/// A model server on this computer; `data-port` says where.
pub(crate) const LOCAL_SERVER: &str = "local-server";
/// Adds it.
pub(crate) const LOCAL_PICK: &str = "local-pick";
/// A port to be looked at.
pub(crate) const LOCAL_PORT: &str = "local-port";
/// Looks there from now on.
pub(crate) const LOCAL_PORT_ADD: &str = "local-port-add";
/// The path of a model file.
pub(crate) const MODEL_FILE: &str = "model-file";
/// There is nothing to serve one with.
pub(crate) const MODEL_FILE_NONE: &str = "model-file-none";
/// Serves it.
pub(crate) const MODEL_FILE_SERVE: &str = "model-file-serve";
/// Why it cannot be served.
pub(crate) const MODEL_FILE_PROBLEM: &str = "model-file-problem";
/// The model file that is served; `data-state` says how it stands.
pub(crate) const SERVED_MODEL: &str = "served-model";
/// Serves it once more.
pub(crate) const SERVED_AGAIN: &str = "served-again";
/// Serves it no longer.
pub(crate) const SERVED_STOP: &str = "served-stop";
/// Who is to answer, asked at the first start.
pub(crate) const FIRST_RUN: &str = "first-run";
/// The guide answers.
pub(crate) const FIRST_RUN_GUIDE: &str = "first-run-guide";
/// A key.
pub(crate) const FIRST_RUN_KEY: &str = "first-run-key";
/// Whose it is.
pub(crate) const FIRST_RUN_SERVICE: &str = "first-run-service";
/// The address of another service.
pub(crate) const FIRST_RUN_ADDRESS: &str = "first-run-address";
/// Keeps the key and tests it.
pub(crate) const FIRST_RUN_ADD: &str = "first-run-add";
/// Which of its models.
pub(crate) const FIRST_RUN_MODEL: &str = "first-run-model";
/// Uses that one.
pub(crate) const FIRST_RUN_USE: &str = "first-run-use";
/// Which model answers in this session; opens the list.
pub(crate) const MODEL_PICKER: &str = "model-picker";
/// The list.
pub(crate) const MODEL_LIST: &str = "model-list";
/// Filters it.
pub(crate) const MODEL_FILTER: &str = "model-filter";
/// A line of it; `data-model` has the id of a model.
pub(crate) const MODEL_OPTION: &str = "model-option";
/// Says that a choice counts from the next run on.
pub(crate) const MODEL_NEXT_RUN: &str = "model-next-run";
/// Does not wait for the next try.
pub(crate) const RUN_TRY_NOW: &str = "run-try-now";
/// Opens the provider at its key.
pub(crate) const RUN_OPEN_KEY: &str = "run-open-key";
/// Opens the provider.
pub(crate) const RUN_OPEN_PROVIDER: &str = "run-open-provider";
/// Ends the pause of the provider that the run waits for.
pub(crate) const RUN_RESUME_PROVIDER: &str = "run-resume-provider";
/// Begins a new session where this one is too long.
pub(crate) const RUN_NEW_SESSION: &str = "run-new-session";
/// Asks for the rest of a reply that ended early.
pub(crate) const MESSAGE_CONTINUE: &str = "message-continue";
/// Chooses files to be attached.
pub(crate) const ATTACH_INPUT: &str = "attach-input";
/// A file in the composer, with `data-stage` (`adding`, `attached`, `refused`).
pub(crate) const ATTACHMENT_CHIP: &str = "attachment-chip";
/// Takes it away.
pub(crate) const ATTACHMENT_REMOVE: &str = "attachment-remove";
/// What was given along with a message, with `data-kind` (`image`, `text`, `pdf`).
pub(crate) const ATTACHMENT: &str = "attachment";
