//! Which models there are: lists of providers, servers on this computer, prices.
//!
//! Everything here is asked for in small documents with a size limit. What a server does not say is
//! unknown, and never guessed.

mod card;
mod key_check;
mod lists;
mod local;
mod price;
mod source;

pub use card::{Capabilities, Known, ModelCard};
pub use key_check::{KeyCheck, check_key};
pub use lists::list_models;
pub use local::{LocalAddress, LocalAnswer, LocalFinder, LocalKind, LocalServer};
pub use price::{Price, PriceTable, cost};
pub use source::Dialect;
