//! The scripted model, asked by hand.

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// Asks on a connection of its own, which stays open.
fn ask(server: &ModelServer, messages: &[Value]) -> TcpStream {
    let body = json!({"messages": messages, "tools": [{"function": {"name": "read_file"}}]});
    let body = body.to_string();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nX-Test: yes\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Everything up to the end of the answer, or of the connection.
fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while !bytes.ends_with(b"0\r\n\r\n") {
        match stream.read(&mut piece).unwrap() {
            0 => break,
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn eventually_ends(server: &ModelServer, number: usize) -> Ending {
    for _ in 0..2_000 {
        let ending = server.requests()[number - 1].ending;
        if ending != Ending::Going {
            return ending;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ending::Going
}

#[test]
fn a_reply_is_streamed_and_the_request_is_noted() {
    let server = ModelServer::start(Reply::text("Hello there.")).unwrap();
    let answer = read_all(&mut ask(&server, &[user("Hi")]));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains(r#""content":"Hello "#) && answer.contains("data: [DONE]"));
    let request = &server.requests()[0];
    assert_eq!((request.number, request.last_user_text()), (1, "Hi"));
    assert_eq!(request.headers["x-test"], "yes");
    assert_eq!(request.tools(), ["read_file"]);
    assert_eq!(eventually_ends(&server, 1), Ending::Sent);
}

#[test]
fn a_script_by_rounds_gives_the_same_answer_to_the_same_question() {
    let server = ModelServer::start(by_rounds([
        Reply::calls([("c1", "read_file", r#"{"path":"a"}"#)]),
        Reply::text("Done."),
    ]))
    .unwrap();
    let first = [user("Read it")];
    let called = json!({"role": "assistant", "tool_calls": [{"id": "c1"}]});
    let result = json!({"role": "tool", "tool_call_id": "c1", "content": "text"});
    let second = [user("Read it"), called, result];
    for _ in 0..2 {
        assert!(read_all(&mut ask(&server, &first)).contains("read_file"));
        assert!(read_all(&mut ask(&server, &second)).contains("Done."));
    }
    let requests = server.requests();
    assert_eq!(requests[0].results(), []);
    let expected = ToolResult {
        call_id: "c1".to_owned(),
        text: "text".to_owned(),
    };
    assert_eq!(requests[1].results_since_user(), [expected]);
    assert_eq!(server.count(), 4);
}

#[test]
fn a_connection_that_is_kept_open_serves_the_next_request() {
    let server = ModelServer::start(in_order([
        Reply::error(429, &json!({"error": {"code": "rate_limit_exceeded"}}))
            .header("retry-after", "1"),
        Reply::text("Now."),
    ]))
    .unwrap();
    let mut stream = ask(&server, &[]);
    let mut head = [0; 32];
    stream.read_exact(&mut head).unwrap();
    assert!(head.starts_with(b"HTTP/1.1 429 "));
    assert_eq!(eventually_ends(&server, 1), Ending::Sent);
    let again = "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(again.as_bytes()).unwrap();
    assert!(read_all(&mut stream).contains("Now."));
    assert_eq!(server.count(), 2);
}

#[test]
fn it_can_be_cut_off_after_any_piece() {
    let reply = Reply::text("one two three");
    for pieces in 0..=reply.piece_count() {
        let server = ModelServer::start(reply.clone().cut_off_after(pieces)).unwrap();
        let answer = read_all(&mut ask(&server, &[]));
        assert_eq!(answer.matches("data: ").count(), pieces);
        assert!(!answer.ends_with("0\r\n\r\n"));
        assert_eq!(eventually_ends(&server, 1), Ending::CutOff);
    }
}

#[test]
fn it_hangs_until_it_is_released() {
    let server = ModelServer::start(Reply::text("one two").hang_after(1)).unwrap();
    let mut stream = ask(&server, &[]);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(server.requests()[0].ending, Ending::Going);
    server.release();
    assert!(read_all(&mut stream).contains("two"));
    assert_eq!(eventually_ends(&server, 1), Ending::Sent);
}

#[test]
fn it_sees_that_a_client_leaves() {
    for reply in [
        Reply::text("one two").hang_after(1),
        Reply::text("one").hang_after(0),
        Reply::huge(100 * 1024 * 1024).pace(Duration::from_millis(1)),
    ] {
        let server = ModelServer::start(reply).unwrap();
        let stream = ask(&server, &[]);
        while server.count() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(stream);
        assert_eq!(eventually_ends(&server, 1), Ending::ClientLeft);
    }
}

#[test]
fn the_ledger_is_on_disk_before_the_answer_and_is_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    for _ in 0..2 {
        let server =
            ModelServer::start_with_ledger(Reply::text("one").hang_after(0), &path).unwrap();
        let _stream = ask(&server, &[user("Hi")]);
        while server.count() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["number"], 1);
    assert_eq!(lines[1]["body"]["messages"][0]["content"], "Hi");
}

#[test]
fn a_huge_text_has_its_size() {
    for bytes in [0, 1, 4096, 10_000] {
        let text = pieces::huge(bytes).concat();
        assert_eq!(text.len(), bytes);
    }
}

#[test]
fn the_same_reply_is_said_in_the_dialect_of_its_address() {
    let reply = Reply::nothing()
        .then_reasoning("Let me see.")
        .then_text("I look.")
        .then_calls([("c1", "read_file", "{\"path\":\"a\"}")]);
    let server = ModelServer::start(by_rounds([reply, Reply::text("Done.")])).unwrap();
    let text = |kind: &str, text: &str| json!([{"type": kind, "text": text}]);
    for (path, signs, body) in [
        (
            "messages",
            ["event: message_stop\n", "signature_delta", "tool_use"],
            json!({"messages": [
                {"role": "user", "content": text("text", "Hi")},
                {"role": "assistant", "content": []},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}]},
            ], "tools": [{"name": "f"}]}),
        ),
        (
            "responses",
            [
                "event: response.completed\n",
                "encrypted_content",
                "function_call",
            ],
            json!({"input": [
                {"role": "user", "content": text("input_text", "Hi")},
                {"type": "reasoning"},
                {"type": "function_call"},
                {"type": "function_call_output", "call_id": "c1", "output": "x"},
            ], "tools": [{"name": "f"}]}),
        ),
    ] {
        let asked = |body: &str| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            let length = body.len();
            let head = format!("POST /v1/{path} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n");
            stream
                .write_all(format!("{head}{body}").as_bytes())
                .unwrap();
            read_all(&mut stream)
        };
        let answer = asked("{}");
        assert!(signs.iter().all(|sign| answer.contains(sign)), "{answer}");
        assert!(asked(&body.to_string()).contains("Done."));
        let request = server.requests().pop().unwrap();
        assert_eq!((request.last_user_text(), request.rounds()), ("Hi", 1));
        assert_eq!(request.results_since_user()[0].text, "x");
        assert_eq!(request.tools(), ["f"]);
    }
}
