//! The session list: what is gone, what is put away, what needs a person.

use protocol::{Attention, AttentionKind};

use super::*;

fn needing(session_id: SessionId, since_ms: u64) -> SessionSummary {
    SessionSummary {
        attention: Some(Attention {
            kind: AttentionKind::Waiting,
            run_id: RUN,
            since_ms,
            asked: "Hello".to_owned(),
            last_done: None,
            steps_completed: 0,
            steps_interrupted: 0,
            unknown: vec![],
            not_started: vec![],
            partial_chars: 0,
            reason: None,
            error: None,
            crashes: 0,
            actions: vec![],
        }),
        ..summary(session_id, 1)
    }
}

fn listed(window: &Window) -> Vec<SessionId> {
    let mut ids: Vec<SessionId> = window
        .store
        .sessions()
        .get_untracked()
        .iter()
        .map(|row| row.session_id)
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn a_session_that_is_gone_leaves_the_list() {
    let window = Window::on(snapshot(0, vec![message(1, Role::User, "Hello")]));
    apply(window.store, Push::Session(Box::new(summary(OTHER, 5))));
    apply(window.store, Push::Gone { session_id: OTHER });
    apply(window.store, Push::Gone { session_id: OTHER });
    assert_eq!(listed(&window), [SESSION]);
    assert_eq!(window.seen().messages.len(), 1);
    // The one that was open leaves the middle too.
    apply(
        window.store,
        Push::Gone {
            session_id: SESSION,
        },
    );
    assert_eq!(listed(&window), []);
    assert_eq!(window.seen().messages, []);
    assert_eq!(window.store.session().session_id().get_untracked(), None);
}

/// ATT-3: what was asked for from outside the window is noted and changes nothing by itself.
#[test]
fn a_session_that_was_asked_for_is_wanted() {
    let window = Window::on(snapshot(0, vec![message(1, Role::User, "Hello")]));
    apply(window.store, Push::Show { session_id: OTHER });
    assert_eq!(window.store.wanted_session().get_untracked(), Some(OTHER));
    assert_eq!(window.seen().messages.len(), 1);
}

/// ATT-2: archived sessions never appear; the longest waiting comes first.
#[test]
fn what_is_put_away_needs_nobody() {
    let window = Window::on(snapshot(0, vec![]));
    apply_sessions(window.store, vec![needing(SESSION, 9), needing(OTHER, 3)]);
    let waiting = || untrack(|| attention_ids(window.store));
    assert_eq!(waiting(), [OTHER, SESSION]);
    let away = SessionSummary {
        is_archived: true,
        updated_at_ms: 2,
        ..needing(OTHER, 3)
    };
    apply(window.store, Push::Session(Box::new(away)));
    assert_eq!(waiting(), [SESSION]);
}

/// The list that is read again does not hold what was put away: that stays as it was.
#[test]
fn reading_the_list_again_keeps_what_was_put_away() {
    let window = Window::on(snapshot(0, vec![]));
    let away = SessionSummary {
        is_archived: true,
        ..summary(OTHER, 5)
    };
    apply(window.store, Push::Session(Box::new(away)));
    apply_sessions(window.store, vec![summary(SESSION, 6)]);
    assert_eq!(listed(&window), [SESSION, OTHER]);
}
