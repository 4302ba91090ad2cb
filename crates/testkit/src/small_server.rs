//! A server of a few lines, for whatever the scripted model does not speak: each path has its body.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

/// What is said at a path, with its content type; nothing is a 404.
pub type Says = fn(&str) -> Option<(&'static str, String)>;

/// The server, for as long as the process lives. Every connection has one request.
#[derive(Debug)]
pub struct SmallServer {
    /// Where it listens.
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl SmallServer {
    /// At a free port.
    pub fn start(says: Says) -> Result<Self> {
        Self::at(0, says)
    }

    /// At this port.
    pub fn at(port: u16, says: Says) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                // A client that leaves is no error.
                std::thread::spawn(move || drop(serve(&stream, says, &heard)));
            }
        });
        Ok(Self { address, asked })
    }

    /// Each request: its first line, its headers and its body.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }
}

fn serve(mut stream: &TcpStream, says: Says, heard: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut asked = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        asked.push_str(&line.to_ascii_lowercase());
        if line.trim().is_empty() {
            break;
        }
        if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = said.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = asked.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.push_str(&String::from_utf8_lossy(&body));
    heard
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(asked);
    let (status, kind, body) = match says(&path) {
        Some((kind, body)) => (200, kind, body),
        None => (404, "text/plain", "not here".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())
}
