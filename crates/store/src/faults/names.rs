//! The names of points, actions and mutants.

macro_rules! named {
    ($(#[$about:meta])* $kind:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $kind {
            $($(#[$doc])* $variant,)*
        }

        #[cfg(feature = "faults")]
        impl $kind {
            /// Every one there is.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in the environment.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one of that name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

named! {
    /// A place where a test may make something go wrong.
    Point {
        /// The folder's lock is held, nothing was looked at.
        LockTaken = "open.lock_taken",
        /// A new database is filled, and has no name yet.
        DatabaseFilled = "open.database_filled",
        /// The database is open and was checked.
        DatabaseChecked = "open.database_checked",
        /// A database of an older schema has its backup.
        MigrationBackedUp = "migration.backed_up",
        /// The schema is the newest.
        Migrated = "migration.done",
        /// Before this process's number is taken.
        EpochBefore = "open.epoch_before",
        /// After it.
        EpochAfter = "open.epoch_after",
        /// A batch is gathered, no transaction is open.
        BatchGathered = "writer.batch_gathered",
        /// The transaction is open and the epoch was compared.
        TransactionBegun = "writer.transaction_begun",
        /// Before a transition is applied.
        TransitionBefore = "writer.transition_before",
        /// After it.
        TransitionAfter = "writer.transition_after",
        /// Before a row is compared and set.
        CompareBefore = "write.compare_before",
        /// After it.
        CompareAfter = "write.compare_after",
        /// Everything is applied.
        CommitBefore = "writer.commit_before",
        /// It is committed and nobody knows.
        CommitAfter = "writer.commit_after",
        /// Everybody was answered.
        Answered = "writer.answered",
        /// Relaxed commits are about to be secured.
        SecureBefore = "writer.secure_before",
        /// They are.
        SecureAfter = "writer.secure_after",
        /// The log is about to be moved into the database.
        CheckpointBefore = "checkpoint.before",
        /// It was.
        CheckpointAfter = "checkpoint.after",
        /// A backup has an empty file.
        BackupBegun = "backup.begun",
        /// Its pages are copied and checked.
        BackupCopied = "backup.copied",
        /// It has its name.
        BackupNamed = "backup.named",
        /// The exit is about to be called clean.
        CloseBefore = "close.before",
        /// What a dead process left was read and decided about.
        SweepDecided = "sweep.decided",
        /// It is written.
        SweepWritten = "sweep.written",
        /// A decision is committed, its effects have not begun.
        EffectsBefore = "effects.before",
        /// They have.
        EffectsAfter = "effects.after",
        /// A model is about to be asked.
        ModelBefore = "model.before",
        /// Its reply is whole and not written.
        ModelAfter = "model.after",
        /// The intent of a tool call is written, its body has not begun.
        BodyBefore = "body.before",
        /// The body ended, its outcome is not written.
        BodyAfter = "body.after",
    }
}

named! {
    /// What goes wrong at a point.
    Action {
        /// The process ends.
        Abort = "abort",
        /// The disk refuses.
        IoError = "io_error",
        /// The disk is full.
        DiskFull = "disk_full",
    }
}

named! {
    /// A mistake that a crash suite must catch.
    Mutant {
        /// The intent of a tool call is not a barrier.
        IntentRelaxed = "intent_relaxed",
        /// Effects begin before their rows are committed.
        ToolBeforeCommit = "tool_before_commit",
        /// The epoch is not compared.
        NoEpochCheck = "no_epoch_check",
        /// A row is set whatever its status is.
        CompareWithoutStatus = "compare_without_status",
        /// Streamed text of two attempts has one place.
        DeltaKeyWithoutAttempt = "delta_key_without_attempt",
        /// Whoever waits is answered before the commit.
        AcknowledgeBeforeCommit = "acknowledge_before_commit",
        /// Streamed text goes before its outcome is written.
        DeltasDeletedEarly = "deltas_deleted_early",
        /// Text counts as progress: it resets how often the app ended in a run.
        CountersResetByText = "counters_reset_by_text",
        /// An approval can be used again.
        ApprovalNotConsumed = "approval_not_consumed",
        /// A start takes up runs that were cancelled.
        SweepRevivesCancelled = "sweep_revives_cancelled",
        /// After a failed sync the process goes on.
        GoOnAfterFailedSync = "go_on_after_failed_sync",
    }
}
