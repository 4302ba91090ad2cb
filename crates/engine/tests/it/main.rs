//! What the engine promises, on real SQLite files, with models that do what the test says.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

/// Tool calls in short.
mod calls;
/// An engine in a folder of its own, and short ways to ask it.
mod fixture;
/// One who follows a session and notices every gap.
mod follower;
/// A tool in the test's hands.
mod hand;
/// What a dead process leaves.
mod remains;
/// Models in the test's hands.
mod scripted;

/// Everything that is done is told.
mod auditing;
/// Sessions are created, named, listed.
mod sessions;
/// Messages are sent, runs begin.
mod starting;

/// How runs end, whatever the model does.
mod ending;
/// What is large stays within bounds.
mod large;

/// Who comes first, when it is close.
mod racing;
/// Stop, resume, cancel.
mod stopping;

/// Sessions that grow past their model's window.
mod compacting;
/// Models that write no summary.
mod compacting_hostile;
/// A crash after every commit of a run that is summarised.
mod compacting_killed;

/// Closing while things are going.
mod closing;
/// Taking up what a dead process left.
mod recovering;

/// What a person was told of.
mod notices;
/// A snapshot, and what follows it.
mod snapshots;
/// Events and text, live and again.
mod subscribing;
/// Many events, slow readers.
mod throughput;
/// The list, and who needs a person.
mod watching;

/// Runs with tool calls.
mod looping;
/// Tools that misbehave.
mod misbehaving;
/// A disk that refuses for a while.
mod refusing;
/// A model that turns in circles.
mod repeating;

/// Looking whether something happened.
mod checking;
/// What may be repeated, what must not, what nobody knows.
mod effects;
/// What calls give back.
mod results;

/// The person's answers.
mod approving;
/// What answers are bound to.
mod binding;
/// Answers for many calls.
mod ruling;

/// Questions that nobody answers.
mod expiring;
/// Stop, resume and cancel, with tools.
mod halting;
/// Ends and answers that meet.
mod meeting;
/// Calls that are about to start when their run is halted.
mod starting_late;

/// The state that calls share.
mod counting;
/// Edits: what was shown is what is made.
mod editing;
/// File changes and their way back.
mod undoing;

/// A crash after every commit of a run.
mod boundaries;

/// Nothing is shared, nothing is left behind.
mod isolation;

/// More short ways to ask.
mod acting;
mod attaching;

/// Messages that wait for their turn.
mod queueing;
/// What a new message does.
mod sending;

/// What one run may use.
mod limiting;
/// Model calls that fail.
mod retrying;

/// Fork, edit, regenerate.
mod branching;
/// Taking up what a dead process left, with tool calls.
mod taking_up;

/// Deleted, taken back, put away.
mod deleting;
/// Sessions as files.
mod transferring;

/// Models that send what no model should.
mod hostile_replies;
/// Agents, rules and settings.
mod managing;
/// What a provider said in its own words.
mod native;
/// Who needs a person, and what that person can do.
mod needing;
/// Events with tool calls, live and again.
mod replaying;
