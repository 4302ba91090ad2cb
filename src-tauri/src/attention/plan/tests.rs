//! When a person is told of what, and when not.

use serde_json::{Value, json};

use super::*;

fn ses(number: u8) -> SessionId {
    format!("ses_0192000000007000800000000000{number:04}")
        .parse()
        .unwrap()
}

fn run(number: u8) -> RunId {
    format!("run_0192000000007000800000000000{number:04}")
        .parse()
        .unwrap()
}

/// A session with a run of the same number that needs a person.
fn needing(number: u8, kind: &str) -> SessionSummary {
    needing_with(number, kind, &json!({}))
}

fn needing_with(number: u8, kind: &str, more: &Value) -> SessionSummary {
    let mut attention = json!({
        "kind": kind, "run_id": run(number), "since_ms": 100 - u64::from(number), "asked": "?",
        "steps_completed": 0, "steps_interrupted": 0, "partial_chars": 0, "crashes": 0, "actions": [],
    });
    for (name, value) in more.as_object().unwrap() {
        attention[name] = value.clone();
    }
    let mut session = calm(number);
    session.attention = Some(serde_json::from_value(attention).unwrap());
    session
}

fn calm(number: u8) -> SessionSummary {
    serde_json::from_value(json!({
        "session_id": ses(number), "title": format!("S{number}"),
        "agent_id": "agt_01920000000070008000000000000001", "created_at_ms": 1, "updated_at_ms": 1,
    }))
    .unwrap()
}

fn push(session: SessionSummary) -> Push {
    Push::Session(Box::new(session))
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The titles of what would be shown.
fn shown(plan: &mut Plan, circumstances: &Circumstances) -> Vec<String> {
    let needs = plan.decide(circumstances).into_iter();
    needs.filter_map(|need| need.title).collect()
}

fn away() -> Circumstances {
    Circumstances::default()
}

#[test]
fn what_comes_within_a_second_is_told_as_one_the_oldest_first() {
    let mut plan = Plan::default();
    plan.take(&[push(calm(3))], ms(0));
    assert_eq!(plan.due_at(), None);
    plan.take(&[push(needing(1, "waiting"))], ms(500));
    plan.take(&[push(needing(2, "failed"))], ms(1_200));
    assert_eq!(
        plan.due_at(),
        Some(ms(1_500)),
        "the first one sets the time"
    );
    assert_eq!(plan.count(), 2);
    assert_eq!(shown(&mut plan, &away()), ["S2", "S1"]);
    assert_eq!(plan.due_at(), None);
}

#[test]
fn a_need_is_told_once() {
    let mut plan = Plan::default();
    plan.take(&[push(needing(1, "waiting"))], ms(0));
    plan.note_shown(&[(run(1), AttentionKind::Waiting)]);
    assert_eq!(plan.due_at(), None);
    // The same again, also after it was over in between.
    for session in [needing(1, "waiting"), calm(1), needing(1, "waiting")] {
        plan.take(&[push(session)], ms(2_000));
        assert_eq!(plan.due_at(), None);
    }
    // The same run needs something else.
    plan.take(&[push(needing(1, "in_doubt"))], ms(3_000));
    assert_eq!(plan.untold(), [(run(1), AttentionKind::InDoubt)]);
    assert_eq!(plan.due_at(), Some(ms(4_000)));
}

#[test]
fn what_an_earlier_process_has_told_is_not_told_again() {
    let mut plan = Plan::default();
    plan.seed(&[needing(1, "interrupted"), needing(2, "waiting")], ms(0));
    assert_eq!(plan.due_at(), Some(ms(3_000)));
    let known = Circumstances {
        shown: HashSet::from([(run(1), AttentionKind::Interrupted)]),
        ..away()
    };
    assert_eq!(shown(&mut plan, &known), ["S2"]);
    assert_eq!(plan.untold(), [(run(2), AttentionKind::Waiting)]);
}

#[test]
fn what_the_window_shows_is_told_neither_now_nor_later() {
    for quiet in [
        Circumstances {
            is_focused: true,
            ..away()
        },
        Circumstances {
            is_silent: true,
            ..away()
        },
    ] {
        let mut plan = Plan::default();
        plan.take(&[push(needing(1, "waiting"))], ms(0));
        assert_eq!(shown(&mut plan, &quiet), [""; 0]);
        plan.take(&[push(needing(1, "waiting"))], ms(5_000));
        assert_eq!(plan.due_at(), None);
        assert_eq!(plan.count(), 1, "the title still says it");
        plan.take(&[push(needing(2, "failed"))], ms(6_000));
        assert_eq!(shown(&mut plan, &away()), ["S2"]);
    }
}

#[test]
fn what_could_not_be_shown_is_tried_again_after_a_minute_or_with_the_next_change() {
    let mut plan = Plan::default();
    plan.take(&[push(needing(1, "waiting"))], ms(0));
    assert_eq!(shown(&mut plan, &away()), ["S1"]);
    plan.note_unshown(ms(1_000));
    assert_eq!(plan.due_at(), Some(ms(61_000)));
    plan.take(&[push(calm(2))], ms(9_000));
    assert_eq!(plan.due_at(), Some(ms(10_000)));
    assert_eq!(shown(&mut plan, &away()), ["S1"]);
    plan.note_shown(&[(run(1), AttentionKind::Waiting)]);
    assert_eq!(plan.due_at(), None);
}

#[test]
fn a_need_that_is_gone_is_not_told() {
    let mut plan = Plan::default();
    plan.take(&[push(needing(1, "waiting"))], ms(0));
    plan.take(&[push(needing(2, "waiting"))], ms(100));
    plan.take(&[push(calm(1))], ms(900));
    assert_eq!(plan.due_at(), Some(ms(1_000)));
    plan.take(&[Push::Gone { session_id: ses(2) }], ms(950));
    assert_eq!((plan.due_at(), plan.count()), (None, 0));
    assert_eq!(shown(&mut plan, &away()), [""; 0]);
}

/// While one is on its way, another comes: it has its own time and is not lost.
#[test]
fn what_comes_while_another_is_being_shown_is_told_next() {
    let mut plan = Plan::default();
    plan.take(&[push(needing(1, "waiting"))], ms(0));
    assert_eq!(shown(&mut plan, &away()), ["S1"]);
    plan.take(&[push(needing(2, "waiting"))], ms(1_100));
    plan.note_shown(&[(run(1), AttentionKind::Waiting)]);
    assert_eq!(plan.due_at(), Some(ms(2_100)));
    assert_eq!(shown(&mut plan, &away()), ["S2"]);
}

/// ATT-2: every kind is counted; whoever stopped a run is not told that they did.
#[test]
fn a_run_that_the_person_stopped_is_counted_and_not_told() {
    let mut plan = Plan::default();
    for (number, reason) in [(1, "stopped_by_user"), (2, "cost_limit"), (3, "step_limit")] {
        let stopped = needing_with(number, "stopped", &json!({ "reason": reason }));
        plan.take(&[push(stopped)], ms(0));
    }
    for (number, kind) in [
        (4, "waiting"),
        (5, "in_doubt"),
        (6, "failed"),
        (7, "interrupted"),
    ] {
        plan.take(&[push(needing(number, kind))], ms(0));
    }
    assert_eq!(plan.count(), 7);
    let told = shown(&mut plan, &away());
    assert_eq!(told, ["S7", "S6", "S5", "S4", "S3", "S2"]);
}

/// After the list was lost and read again: what is no longer in it needs nobody.
#[test]
fn a_new_list_takes_the_place_of_the_old_one() {
    let mut plan = Plan::default();
    plan.seed(&[needing(1, "waiting"), needing(2, "waiting")], ms(0));
    plan.note_shown(&[(run(2), AttentionKind::Waiting)]);
    plan.seed(&[needing(2, "waiting")], ms(9_000));
    assert_eq!((plan.count(), plan.due_at()), (1, None));
}

mod said {
    use super::*;
    use crate::attention::words::{Notice, notice_of, window_title};

    fn told(sessions: &[SessionSummary]) -> Notice {
        let mut plan = Plan::default();
        plan.seed(sessions, ms(0));
        notice_of(&plan.decide(&away())).unwrap()
    }

    fn titled(title: Option<&str>, kind: &str, more: &Value) -> SessionSummary {
        let mut session = needing_with(1, kind, more);
        session.title = title.map(str::to_owned);
        session
    }

    #[test]
    fn one_session_is_named_with_what_it_needs() {
        let call = |number: u8, is_waiting| {
            let call_id = format!("cal_0192000000007000800000000000{number:04}");
            json!({ "call_id": call_id, "summary": "Delete secret.txt", "is_waiting": is_waiting })
        };
        let waits = |calls: Value| json!({ "not_started": calls });
        for (kind, more, expected) in [
            (
                "waiting",
                waits(json!([call(1, true), call(2, false)])),
                "Tides: 1 call waits for you",
            ),
            (
                "waiting",
                waits(json!([call(1, true), call(2, true)])),
                "Tides: 2 calls wait for you",
            ),
            (
                "in_doubt",
                json!({ "unknown": [call(1, false)] }),
                "Tides: the outcome of 1 call is unknown",
            ),
            ("failed", json!({}), "Tides: the run failed"),
            ("interrupted", json!({}), "Tides: the run was interrupted"),
            (
                "stopped",
                json!({ "reason": "time_limit" }),
                "Tides: the run reached a limit",
            ),
        ] {
            let notice = told(&[titled(Some("Tides"), kind, &more)]);
            assert_eq!(
                (notice.summary.as_str(), notice.body.as_str()),
                (expected, "")
            );
            assert_eq!(notice.session_id, ses(1));
        }
        let untitled = told(&[titled(None, "failed", &json!({}))]);
        assert_eq!(untitled.summary, "New session: the run failed");
    }

    #[test]
    fn several_are_counted_and_a_few_named() {
        let two = told(&[needing(1, "failed"), needing(2, "interrupted")]);
        assert_eq!(two.summary, "2 sessions wait for you");
        assert_eq!(two.body, "S2: the run was interrupted\nS1: the run failed");
        assert_eq!(two.session_id, ses(2), "a click opens the oldest need");
        let many: Vec<SessionSummary> = (1..=7).map(|number| needing(number, "failed")).collect();
        let many = told(&many);
        assert_eq!(many.summary, "7 sessions wait for you");
        assert_eq!(many.body.lines().count(), 6);
        assert!(many.body.ends_with("\nand 2 more"), "{}", many.body);
    }

    #[test]
    fn a_title_is_one_short_line() {
        let odd = format!("One\n\ttwo\u{7} {}", "x".repeat(200));
        let said = told(&[titled(Some(&odd), "failed", &json!({}))]).summary;
        assert!(said.starts_with("One two xxx"), "{said}");
        assert!(said.ends_with("…: the run failed"), "{said}");
        assert!(said.chars().count() < 80, "{said}");
    }

    #[test]
    fn the_window_is_called_after_how_many_wait() {
        assert_eq!(window_title(0), "Holdfast");
        assert_eq!(window_title(2), "(2) Holdfast");
    }
}
