//! A server that says byte for byte what a test wants, to whatever it is asked.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use socket2::SockRef;

/// What a server was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What a server says.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Vec<u8>>,
    ending: End,
    pause: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    CutOff,
    /// The connection is reset: what is on its way is lost.
    Reset,
    /// Says nothing more until the client leaves.
    Silent,
    /// A byte now and then, for ever.
    Drips,
}

impl Said {
    /// A stream of this kind.
    pub(crate) fn stream(content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            pieces: vec![body.as_ref().to_vec()],
            ending: End::Whole,
            pause: Duration::ZERO,
        }
    }

    /// A document.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let mut said = Self::stream("application/json", body.to_string());
        said.status = status;
        said
    }

    pub(crate) fn not_found() -> Self {
        let mut said = Self::stream("text/plain", "404 page not found");
        said.status = 404;
        said
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// In pieces of so many bytes.
    pub(crate) fn cut_into(mut self, size: usize) -> Self {
        let whole = self.pieces.concat();
        self.pieces = whole.chunks(size).map(<[u8]>::to_vec).collect();
        self
    }

    /// Only so many bytes, and then the connection is closed.
    pub(crate) fn cut_off_after(mut self, bytes: usize) -> Self {
        let mut whole = self.pieces.concat();
        whole.truncate(bytes);
        self.pieces = vec![whole];
        self.ending = End::CutOff;
        self
    }

    /// The same without a goodbye.
    pub(crate) fn reset_after(mut self, bytes: usize) -> Self {
        self = self.cut_off_after(bytes);
        self.ending = End::Reset;
        self
    }

    /// A pause before every piece.
    pub(crate) fn slowly(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    pub(crate) fn then_silence(mut self) -> Self {
        self.ending = End::Silent;
        self
    }

    pub(crate) fn then_drips(mut self) -> Self {
        self.ending = End::Drips;
        self
    }
}

type Script = dyn Fn(&Asked) -> Said + Send + Sync;

/// The server, on a free port of this computer.
pub(crate) struct SmallServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
}

impl SmallServer {
    pub(crate) fn start(script: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            is_over: Arc::default(),
        };
        let script: Arc<Script> = Arc::new(script);
        let (asked, is_over) = (Arc::clone(&server.asked), Arc::clone(&server.is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (script, asked) = (Arc::clone(&script), Arc::clone(&asked));
                let is_over = Arc::clone(&is_over);
                std::thread::spawn(move || {
                    // A client that leaves is no error.
                    let served = stream.and_then(|s| serve(&s, &*script, &asked, &is_over));
                    drop(served);
                });
            }
        });
        server
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }
}

impl Drop for SmallServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn lock(asked: &Mutex<Vec<Asked>>) -> std::sync::MutexGuard<'_, Vec<Asked>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    stream: &TcpStream,
    script: &Script,
    all: &Mutex<Vec<Asked>>,
    is_over: &AtomicBool,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(asked) = read(&mut reader)? {
        lock(all).push(asked.clone());
        let said = script(&asked);
        let mut out = stream;
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", said.status);
        for (name, value) in &said.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        out.write_all(head.as_bytes())?;
        for piece in said.pieces.iter().filter(|piece| !piece.is_empty()) {
            std::thread::sleep(said.pause);
            send(stream, piece)?;
        }
        match said.ending {
            End::Whole => out.write_all(b"0\r\n\r\n")?,
            End::CutOff => return stream.shutdown(Shutdown::Both),
            End::Reset => return SockRef::from(stream).set_linger(Some(Duration::ZERO)),
            End::Silent => return wait(stream, is_over, None),
            End::Drips => return wait(stream, is_over, Some(b" ")),
        }
    }
    Ok(())
}

fn send(mut stream: &TcpStream, piece: &[u8]) -> io::Result<()> {
    stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
    stream.write_all(piece)?;
    stream.write_all(b"\r\n")
}

/// Until the client leaves or the test is over.
fn wait(stream: &TcpStream, is_over: &AtomicBool, drip: Option<&[u8]>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(20)))?;
    while !is_over.load(Ordering::SeqCst) {
        let mut stream = stream;
        match stream.read(&mut [0]) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if let Some(drip) = drip {
            send(stream, drip)?;
        }
    }
    Ok(())
}

fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|l| l.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked {
        method,
        path,
        headers,
        body,
    }))
}
