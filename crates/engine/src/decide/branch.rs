//! Going on from an earlier place: edit and resend, regenerate, retry. The old branch stays.

use protocol::{
    BranchView, CommandError, ErrorCode, Event, Message, MessageId, Role, RunId, RunStatus,
};
use store::{Change, SessionState};

use super::start_run::{
    Trigger, Written, add_user_message, begin_run, make_room, refuse_doubt, refuse_ending,
    refuse_live, user_message,
};
use super::{Decision, Given};

/// What a run in a new place is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Again<'a> {
    pub(crate) message_id: MessageId,
    pub(crate) run_id: RunId,
    pub(crate) request_key: Option<&'a str>,
}

/// Writes a message of the person's anew, in a new branch.
pub(crate) fn edit_message(
    state: &SessionState,
    message: &Message,
    text: &str,
    again: &Again<'_>,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    if message.role != Role::User {
        return Err(refused(
            "Only your own messages can be edited.",
            "Regenerate the reply instead.",
        ));
    }
    let mut decision = Decision::nothing();
    let mut state = ready(&mut decision, state, given)?;
    branch_at(&mut decision, &mut state, message.position, given);
    // What was given along with it stays.
    let written = Written {
        text,
        attachments: &message.attachments,
    };
    let written = user_message(&state, again.message_id, again.run_id, written, given);
    add_user_message(&mut decision, &mut state, written, given);
    let trigger = Trigger {
        run_id: again.run_id,
        message_id: again.message_id,
        request_key: again.request_key.map(str::to_owned),
        retry_of: message.run_id,
    };
    begin_run(&mut decision, &state, trigger, given);
    Ok(decision)
}

/// Answers a message again, in a new branch. `asked` is the person's message that the run answers.
pub(crate) fn regenerate(
    state: &SessionState,
    message: &Message,
    asked: MessageId,
    again: &Again<'_>,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    let from_position = match message.role {
        Role::User => message.position + 1,
        Role::Agent => message.position,
    };
    let mut decision = Decision::nothing();
    let mut state = ready(&mut decision, state, given)?;
    branch_at(&mut decision, &mut state, from_position, given);
    let trigger = Trigger {
        run_id: again.run_id,
        message_id: asked,
        request_key: again.request_key.map(str::to_owned),
        retry_of: message.run_id,
    };
    begin_run(&mut decision, &state, trigger, given);
    Ok(decision)
}

/// Tries a run that failed or was cancelled again: a new run after everything that it had done.
pub(crate) fn retry_run(
    state: &SessionState,
    run_id: RunId,
    again: &Again<'_>,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    let Some(run) = state.run.as_ref().filter(|run| run.run_id == run_id) else {
        return Err(refused(
            "The session has moved on since this run.",
            "Send a new message to go on from here.",
        )
        .about_run(run_id));
    };
    match run.status {
        RunStatus::Failed | RunStatus::Cancelled => {}
        RunStatus::Stopped | RunStatus::Interrupted => {
            return Err(refused("This run can be resumed.", "Resume it instead.").about_run(run_id));
        }
        RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
            return Err(refused("This run is going.", "Wait for it to end.").about_run(run_id));
        }
        RunStatus::Completed => {
            return Err(refused(
                "This run ended well.",
                "Regenerate the reply for another one.",
            )
            .about_run(run_id));
        }
    }
    refuse_doubt(state)?;
    refuse_ending(state)?;
    let mut decision = Decision::nothing();
    let state = make_room(&mut decision, state, given);
    let trigger = Trigger {
        run_id: again.run_id,
        message_id: run.message_id,
        request_key: again.request_key.map(str::to_owned),
        retry_of: Some(run_id),
    };
    begin_run(&mut decision, &state, trigger, given);
    Ok(decision)
}

/// Shows another branch.
pub(crate) fn select_branch(
    state: &SessionState,
    branch: u32,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    let mut decision = Decision::nothing();
    if branch == state.branch {
        return Ok(decision);
    }
    if branch >= state.branches {
        return Err(crate::command_error::not_found("branch"));
    }
    refuse_live(state)?;
    decision.change(Change::SelectBranch {
        session_id: state.session_id,
        from: state.branch,
        to: branch,
    });
    decision.event(
        state.session_id,
        given.at_ms,
        Event::BranchSelected { branch },
    );
    Ok(decision)
}

/// A halted run is given up; a live one, or a doubt, is in the way.
fn ready(
    decision: &mut Decision,
    state: &SessionState,
    given: &Given<'_>,
) -> Result<SessionState, CommandError> {
    refuse_live(state)?;
    refuse_doubt(state)?;
    refuse_ending(state)?;
    Ok(make_room(decision, state, given))
}

/// Starts a branch in which history ends before this position. At the end there is nothing to
/// leave behind, and so no branch.
fn branch_at(
    decision: &mut Decision,
    state: &mut SessionState,
    from_position: u64,
    given: &Given<'_>,
) {
    if from_position > state.message_count {
        return;
    }
    let branch = BranchView {
        branch: state.branches,
        parent: Some(state.branch),
        from_position,
        created_at_ms: given.at_ms,
    };
    decision.change(Change::StartBranch {
        session_id: state.session_id,
        branch: branch.clone(),
    });
    state.branch = branch.branch;
    state.branches += 1;
    state.message_count = from_position - 1;
    decision.event(
        state.session_id,
        given.at_ms,
        Event::BranchStarted { branch },
    );
}

fn refused(message: &str, hint: &str) -> CommandError {
    CommandError::new(ErrorCode::NotActionable, message, hint)
}
