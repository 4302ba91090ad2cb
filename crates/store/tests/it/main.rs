//! What the store promises, against real SQLite files and real processes that are ended.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

/// A store in a folder of its own, and short ways to write into it.
mod fixture;
/// SQLite beside the store: to look at rows, and to do what the store never would.
mod raw;
/// Pieces of a session to write.
mod sample;
mod sample_attachment;
/// Tool calls to write, and a session that has some.
mod sample_call;
/// A provider.
mod sample_provider;
/// One session that went through everything.
mod sample_whole;

/// All of a transition or nothing of it, and never a neighbour's.
mod atomicity;
/// Queued, serialised, compared, counted.
mod ordering;

/// Questions to the person.
mod approvals;
mod attachments;
/// Branches of a session's history.
mod branches;
/// Tool calls.
mod calls;
/// Agents, rules, settings, queues, requests.
mod fields;
/// A session with ten thousand calls.
mod many;
/// What a provider said in its own words.
mod native;
/// Providers, who uses them and who waits for them.
mod providers;
/// Nothing of a deleted session is left.
mod purge;
/// What recovery and attention look at.
mod recovery;
/// A session's state.
mod state;
/// Rows that cannot be read.
mod unreadable;

/// When a commit is forced to disk, and how many share one.
mod commits;
/// What was answered is there after the process was ended.
mod killed;
/// The same for a call on its way.
mod killed_call;

/// What was asked, decided and done, in a chain.
mod audit;
/// The head of the chain, over crashes, restores and full disks.
mod audit_head;
/// Whatever somebody does to the chain is found, and where.
mod audit_tampering;

/// Which backups are made and kept.
mod backups;
/// Files that cannot be read are never overwritten.
mod damage;
/// The way back from a backup.
mod restore;

/// What is too large is refused.
mod caps;
/// What the tables accept.
mod schema;
/// Older and newer databases.
mod versions;

/// One process, one writer; what happens at the end.
mod one_process;
/// For their owner alone, under their names only when whole.
mod privacy;

/// A look from outside.
mod inspect;

/// The log of events and its stored forms.
mod events;
/// What is being streamed.
mod streaming;

/// This binary once more, in a process of its own.
mod child;
