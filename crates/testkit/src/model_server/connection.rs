//! One connection: a request is read, noted and answered, and the next one follows.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Shared;
use super::dialect::Dialect;
use super::pieces;
use super::reply::{Content, Fault, Reply};
use super::request::Ending;

/// How often a waiting reply looks whether the client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(5);
const LARGEST_BODY: u64 = 256 * 1024 * 1024;

/// A request as it was read.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Serves until one of both sides has had enough.
pub(super) fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(incoming) = read(&mut reader)? {
        if let Some(reply) = shared.listing.at(&incoming.path, &incoming.headers) {
            let body = match &reply.content {
                Content::Whole(body) => body.as_str(),
                Content::Stream(_) => "{}",
            };
            send_whole(stream, &reply, body)?;
            continue;
        }
        let Some(dialect) = Dialect::at(&incoming.path) else {
            let body = r#"{"error":{"message":"There is nothing at this address.","code":404}}"#;
            send_whole(stream, &Reply::body(404, "application/json", body), body)?;
            continue;
        };
        let request = shared.ledger.note(incoming, dialect)?;
        let reply = shared.script.reply(&request);
        let sent = send(stream, shared, &reply, dialect);
        let ending = sent.as_ref().map_or(Ending::ClientLeft, |ending| *ending);
        shared.ledger.end(request.number, ending);
        if ending != Ending::Sent {
            return stream.shutdown(std::net::Shutdown::Both);
        }
    }
    Ok(())
}

/// The next request; nothing if the client closed the connection.
fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Incoming>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|l| l.parse().ok())
        .unwrap_or(0);
    let mut body = Vec::new();
    reader
        .take(LARGEST_BODY.min(length))
        .read_to_end(&mut body)?;
    Ok(Some(Incoming {
        path,
        headers,
        body,
    }))
}

fn send(
    stream: &TcpStream,
    shared: &Shared,
    reply: &Reply,
    dialect: Dialect,
) -> io::Result<Ending> {
    let is_faulty = |at: usize, fault: Fault| reply.fault == Some((at, fault));
    if is_faulty(0, Fault::CutOff) {
        return Ok(Ending::CutOff);
    }
    if is_faulty(0, Fault::Hang) {
        hang(stream, shared)?;
    }
    let content = match &reply.content {
        Content::Stream(content) => content,
        Content::Whole(body) => {
            pause(stream, shared, reply.pace)?;
            send_whole(stream, reply, body)?;
            return Ok(Ending::Sent);
        }
    };
    let mut out = stream;
    let kind = dialect.media_type();
    out.write_all(head(reply, kind, "transfer-encoding: chunked").as_bytes())?;
    if dialect == Dialect::ChatCompletions {
        // As OpenRouter and llama.cpp do, to keep the connection open.
        send_chunk(stream, ": processing\n\n")?;
    }
    let events = pieces::of(content, dialect);
    // One time more than there are pieces: what goes wrong may do so after the last of them.
    for at in 0..=events.len() {
        if is_faulty(at, Fault::CutOff) {
            return Ok(Ending::CutOff);
        }
        if at > 0 && is_faulty(at, Fault::Hang) {
            hang(stream, shared)?;
        }
        if is_faulty(at, Fault::Malformed) {
            send_chunk(stream, &pieces::framed("{\"choices\": [{", dialect))?;
        }
        if let Some(event) = events.get(at) {
            pause(stream, shared, reply.pace)?;
            send_chunk(stream, &pieces::framed(event, dialect))?;
        }
    }
    out.write_all(b"0\r\n\r\n")?;
    Ok(Ending::Sent)
}

fn send_whole(mut stream: &TcpStream, reply: &Reply, body: &str) -> io::Result<()> {
    let length = format!("content-length: {}", body.len());
    let head = head(reply, "application/json", &length);
    stream.write_all(format!("{head}{body}").as_bytes())
}

fn send_chunk(mut stream: &TcpStream, text: &str) -> io::Result<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn head(reply: &Reply, content_type: &str, framing: &str) -> String {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n{framing}\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !reply.headers.iter().any(|(name, _)| name == "content-type") {
        head.push_str(&format!("content-type: {content_type}\r\n"));
    }
    head.push_str("\r\n");
    head
}

/// Waits until it is released.
fn hang(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    while !shared.is_released.load(Ordering::SeqCst) {
        pause(stream, shared, LOOK_EVERY)?;
    }
    Ok(())
}

/// Waits, and fails as soon as the client has left or the server is over.
fn pause(stream: &TcpStream, shared: &Shared, pause: Duration) -> io::Result<()> {
    let mut left = pause;
    while !left.is_zero() {
        if shared.is_over.load(Ordering::SeqCst) {
            return Err(ErrorKind::ConnectionAborted.into());
        }
        let look = left.min(LOOK_EVERY);
        if has_left(stream)? {
            return Err(ErrorKind::ConnectionReset.into());
        }
        // A read with a timeout would wait as well, but twice as long as it was told.
        std::thread::sleep(look);
        left = left.saturating_sub(look);
    }
    Ok(())
}

fn has_left(stream: &TcpStream) -> io::Result<bool> {
    stream.set_nonblocking(true)?;
    let looked = stream.peek(&mut [0]);
    stream.set_nonblocking(false)?;
    match looked {
        Ok(count) => Ok(count == 0),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}
