//! What the server says to which request.

use super::reply::Reply;
use super::request::Request;

/// Chooses a reply. A closure is a script, and so is a single reply, which is always given.
pub trait Script: Send + Sync + 'static {
    /// The reply to a request.
    fn reply(&self, request: &Request) -> Reply;
}

impl std::fmt::Debug for dyn Script {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Script")
    }
}

impl<F> Script for F
where
    F: Fn(&Request) -> Reply + Send + Sync + 'static,
{
    fn reply(&self, request: &Request) -> Reply {
        self(request)
    }
}

impl Script for Reply {
    fn reply(&self, _: &Request) -> Reply {
        self.clone()
    }
}

/// A reply for each round of a run: the first to the person's message, the next to the results of
/// its calls, and so on; the last is given from there on. Whoever asks the same again gets the
/// same, so it does not matter how often the app was ended in between.
pub fn by_rounds(replies: impl IntoIterator<Item = Reply>) -> impl Script {
    let replies: Vec<Reply> = replies.into_iter().collect();
    move |request: &Request| nth_or_last(&replies, request.rounds())
}

/// A reply for each request, in the order in which they come; the last is given from there on.
pub fn in_order(replies: impl IntoIterator<Item = Reply>) -> impl Script {
    let replies: Vec<Reply> = replies.into_iter().collect();
    move |request: &Request| nth_or_last(&replies, request.number - 1)
}

fn nth_or_last(replies: &[Reply], at: usize) -> Reply {
    let reply = replies.get(at).or(replies.last());
    reply.cloned().unwrap_or_else(Reply::nothing)
}
