//! Pieces of streamed text: each is appended exactly once, to its own block.

use leptos::prelude::{ReadUntracked, Set, Update, Write};
use protocol::{Delta, MessageStatus};

use super::super::live::{Addition, LiveKey, LiveText, LiveTextStoreFields, addition};
use super::super::session::{SessionStateStoreFields, SyncState};
use super::{Session, is_open};

pub(super) fn take_delta(session: Session, delta: &Delta) {
    if !is_open(session, delta.session_id) {
        return;
    }
    let is_live = session
        .live()
        .read_untracked()
        .as_ref()
        .is_some_and(|live| live.is_attempt(delta.step_id, delta.attempt));
    if !is_live {
        if !is_known_past(session, delta) {
            session.sync().set(SyncState::Snapshot);
        }
        return;
    }
    let key = LiveKey::of(delta);
    let text = session.live_texts().at_key(key).text();
    let length = text.try_read_untracked().map(|text| text.len());
    match (length, addition(length.unwrap_or(0), delta)) {
        (_, Addition::Gap) => session.sync().set(SyncState::Snapshot),
        (Some(_), Addition::Nothing) => {}
        // The one write that happens many times a second: it wakes this block and nothing else.
        (Some(_), Addition::Text(more)) => text.update(|text| text.push_str(more)),
        (None, Addition::Text(_) | Addition::Nothing) => add_block(session, key, delta),
    }
}

fn add_block(session: Session, key: LiveKey, delta: &Delta) {
    session.live_texts().write().push(LiveText {
        key,
        text: delta.text.clone(),
    });
    session.live().update(|live| {
        if let Some(live) = live {
            live.blocks.push((key, delta.kind));
            live.blocks.sort_by_key(|(key, _)| key.block);
        }
    });
}

/// Whether a delta belongs to an attempt that is over: a straggler, not a gap.
fn is_known_past(session: Session, delta: &Delta) -> bool {
    let overtaken = session
        .live()
        .read_untracked()
        .as_ref()
        .is_some_and(|live| live.step_id == delta.step_id && live.attempt > delta.attempt);
    overtaken
        || session.messages().read_untracked().iter().any(|row| {
            row.message.step_id == Some(delta.step_id)
                && (row.message.status == MessageStatus::Complete
                    || row
                        .message
                        .attempt
                        .is_some_and(|attempt| attempt >= delta.attempt))
        })
}
