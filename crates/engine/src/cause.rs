//! What makes something happen, carried beside the code that does it: whoever commits first tells
//! the audit.

use std::cell::RefCell;

use protocol::Command;
use store::{Cause, CauseKind, Change, Transition};

tokio::task_local! {
    /// Told once: what is committed after the first transition has the same cause.
    static CAUSE: RefCell<Option<Cause>>;
}

/// Whatever is committed inside happens because of this.
pub(crate) fn because_of<F: Future>(
    cause: Option<Cause>,
    doing: F,
) -> impl Future<Output = F::Output> {
    CAUSE.scope(RefCell::new(cause), doing)
}

/// A command that may change something: its name, and the hash of its JSON text.
pub(crate) fn of_command(command: &Command) -> Option<Cause> {
    if only_reads(command) {
        return None;
    }
    if let Command::SetProviderKey { .. } = command {
        // Not even the hash of it: a key may be short.
        return own(CauseKind::Command, "set_provider_key");
    }
    let json = serde_json::to_string(command).ok()?;
    // The tag is written first.
    let (name, _) = json.strip_prefix(r#"{"type":""#)?.split_once('"')?;
    Some(Cause {
        kind: CauseKind::Command,
        name: name.to_owned(),
        content: Some(blake3::hash(json.as_bytes()).into()),
    })
}

const fn only_reads(command: &Command) -> bool {
    matches!(
        command,
        Command::GetApp {}
            | Command::ListSessions { .. }
            | Command::ListAttention {}
            | Command::ExportSession { .. }
            | Command::GetSession { .. }
            | Command::ListMessages { .. }
            | Command::GetRun { .. }
            | Command::ListApprovals { .. }
            | Command::GetCall { .. }
            | Command::GetResult { .. }
            | Command::GetAttachment { .. }
            | Command::ListRules {}
            | Command::ListAgents {}
            | Command::ListProviders {}
            | Command::FindLocalServers {}
            | Command::GetServedModel {}
            | Command::GetSettings {}
            | Command::Subscribe { .. }
            | Command::Unsubscribe { .. }
            | Command::WatchSessions {}
    )
}

/// The app does it by itself, because its time has come.
pub(crate) fn app(name: &str) -> Option<Cause> {
    own(CauseKind::App, name)
}

/// A start takes up what a dead process left.
pub(crate) fn recovery(name: &str) -> Option<Cause> {
    own(CauseKind::Recovery, name)
}

fn own(kind: CauseKind, name: &str) -> Option<Cause> {
    Some(Cause {
        kind,
        name: name.to_owned(),
        content: None,
    })
}

/// Puts the cause in front of a transition, if there is one that was not told yet.
pub(crate) fn tell(transition: &mut Transition, at_ms: u64) {
    let cause = CAUSE.try_with(|cause| cause.borrow_mut().take());
    if let Ok(Some(cause)) = cause {
        put(transition, cause, at_ms);
    }
}

pub(crate) fn put(transition: &mut Transition, cause: Cause, at_ms: u64) {
    let note = Change::NoteCause { cause, at_ms };
    transition.changes.insert(0, note);
}

/// What was told, to be told again if it was not written.
pub(crate) fn told(transition: &Transition) -> Option<Cause> {
    match transition.changes.first() {
        Some(Change::NoteCause { cause, .. }) => Some(cause.clone()),
        _ => None,
    }
}

/// The transition was refused: the next one tells it.
pub(crate) fn untell(cause: Option<Cause>) {
    if let Some(cause) = cause {
        // Outside of every cause there is nothing to tell again.
        CAUSE
            .try_with(|slot| *slot.borrow_mut() = Some(cause))
            .unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use protocol::{ProviderId, Secret};

    use super::*;

    // SEC-1: a hash of a short key is as good as the key.
    #[test]
    fn a_key_leaves_no_hash_behind() {
        let command = Command::SetProviderKey {
            provider_id: ProviderId::from_uuid(uuid::Uuid::from_u128(1)),
            header: None,
            key: Secret::new("1234"),
        };
        let cause = of_command(&command).unwrap();
        assert_eq!(
            (cause.name.as_str(), cause.content),
            ("set_provider_key", None)
        );
    }
}
