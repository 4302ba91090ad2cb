//! Results: verbatim, and where they are long, in pieces.

use protocol::{CallId, Command, ErrorClass, ErrorCode, Reply, RunStatus};
use serde_json::json;

use crate::calls::{one_call, outcome, results};
use crate::fixture::{Home, World};
use crate::hand::Hand;

const CUT: usize = 64 * 1024;

// EFF-6
#[tokio::test]
async fn results_are_kept_and_told_verbatim_and_failure_is_a_flag() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let world = home.open_tools(vec![hand]);
    for text in [
        "",
        "  \n",
        "Error: no such file",
        "{\"is_error\": true}",
        "é\u{0}\r\n😀",
    ] {
        let started = world.start("Go").await;
        let model = world.script.call().await;
        model.ask("a", "hand", &json!({}));
        model.finish();
        bodies.next().await.end(text);
        let model = world.script.call().await;
        let told = ("hand".to_owned(), false, text.to_owned());
        assert_eq!(results(&model.request), [told]);
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!(outcome(&call), (text, None));
        assert_eq!(call.result.unwrap().total_bytes, text.len() as u64);
        model.answer("I see.");
        world.idle().await;
    }
    world.close().await;
}

/// Everything of a result, piece by piece.
async fn read_on(world: &World, call_id: CallId) -> (String, usize) {
    let (mut whole, mut pieces) = (String::new(), 0);
    loop {
        let offset = whole.len() as u64;
        let command = Command::GetResult { call_id, offset };
        let Reply::Result {
            text, total_bytes, ..
        } = world.execute(command).await.unwrap()
        else {
            panic!("another reply");
        };
        pieces += 1;
        whole.push_str(&text);
        if whole.len() as u64 >= total_bytes {
            return (whole, pieces);
        }
        assert!(!text.is_empty(), "it never ends");
    }
}

// EFF-6
#[tokio::test]
async fn a_long_result_is_cut_between_characters_and_can_be_read_on() {
    let home = Home::new();
    // Three bytes each: the cut would fall inside of one.
    let arguments = json!({"bytes": 200_000, "unit": "€"});
    let whole = "€".repeat(200_000 / 3);
    let (world, player) = home.play(vec![one_call("a", "prints", &arguments)]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.calls(started.session_id).await.remove(0);
    let result = call.result.clone().unwrap();
    assert_eq!(result.total_bytes, whole.len() as u64);
    assert_eq!(result.text, whole[..CUT - CUT % 3]);
    let told = &results(&player.asked()[1])[0].2;
    let shown = result.text.len();
    assert!(told.starts_with(&result.text));
    let said = format!(
        "[bytes 0 to {shown} of {}; read on with read_result, call_id {}, offset {shown}]",
        whole.len(),
        call.call_id
    );
    assert!(told.ends_with(&said), "{}", &told[shown..]);
    let (read, pieces) = read_on(&world, call.call_id).await;
    assert_eq!(read, whole);
    assert_eq!(pieces, 4);
    // Also after a restart.
    world.close().await;
    let (world, _) = home.play(Vec::new());
    assert_eq!(read_on(&world, call.call_id).await.0, whole);
    let unknown = CallId::from_uuid(started.session_id.uuid());
    let command = Command::GetResult {
        call_id: unknown,
        offset: 0,
    };
    assert_eq!(world.refused(command).await.0, ErrorCode::NotFound);
    world.close().await;
}

// EFF-6
#[tokio::test]
async fn a_model_reads_on_with_a_tool_and_only_in_its_own_session() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.ask(
        "a",
        "prints",
        &json!({"bytes": CUT + 7, "unit": "0123456789"}),
    );
    model.finish();
    let model = world.script.call().await;
    let call_id = world.calls(started.session_id).await.remove(0).call_id;
    model.ask(
        "b",
        "read_result",
        &json!({"call_id": call_id, "offset": CUT}),
    );
    model.finish();
    let model = world.script.call().await;
    let (from, to) = (CUT, CUT + 7);
    let rest = &"0123456789".repeat(2)[CUT % 10..CUT % 10 + 7];
    let expected = format!("{rest}\n\n[bytes {from} to {to} of {to}]");
    assert_eq!(
        results(&model.request)[1],
        ("read_result".to_owned(), false, expected)
    );
    model.answer("I see.");
    world.idle().await;

    let other = world.start("Go").await;
    let model = world.script.call().await;
    model.ask(
        "a",
        "read_result",
        &json!({"call_id": call_id, "offset": 0}),
    );
    model.ask(
        "b",
        "read_result",
        &json!({"call_id": "no id", "offset": 0}),
    );
    model.finish();
    let model = world.script.call().await;
    let told = results(&model.request);
    assert_eq!(
        told[0].2,
        "There is no such call with a result in this session."
    );
    assert!(told.iter().all(|(_, is_error, _)| *is_error));
    model.answer("Oh.");
    world.idle().await;
    let calls = world.calls(other.session_id).await;
    assert_eq!(outcome(&calls[1]).1, Some(ErrorClass::InvalidRequest));
    assert_eq!(world.run(other.run_id).await.status, RunStatus::Completed);
    world.close().await;
}
