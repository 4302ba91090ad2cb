//! Asks a judge's own pages: one request, one document. Never anything that is judged.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(20);

/// The document at a path of this computer.
pub(crate) fn get(port: u16, path: &str) -> Result<Value> {
    ask(port, "GET", path, "", "")
}

/// The same with a header line.
pub(crate) fn get_with(port: u16, path: &str, header: &str) -> Result<Value> {
    ask(port, "GET", path, &format!("{header}\r\n"), "")
}

/// The same after sending one.
pub(crate) fn post(port: u16, path: &str, body: &Value) -> Result<Value> {
    ask(port, "POST", path, "", &body.to_string())
}

/// With a header line.
pub(crate) fn post_with(port: u16, path: &str, header: &str, body: &Value) -> Result<Value> {
    ask(
        port,
        "POST",
        path,
        &format!("{header}\r\n"),
        &body.to_string(),
    )
}

/// Forgets something.
pub(crate) fn delete(port: u16, path: &str) -> Result<Value> {
    ask(port, "DELETE", path, "", "")
}

/// In the oldest form there is: the answer ends with the connection, and comes in one piece.
fn ask(port: u16, method: &str, path: &str, header: &str, body: &str) -> Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
         {header}content-length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    ensure!(status.starts_with('2'), "{method} {path}: {answer}");
    Ok(serde_json::from_str(body).unwrap_or_default())
}
