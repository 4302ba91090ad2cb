//! What happens: decides, runs, recovers.
//!
//! Invariants: deciding has no IO, clock or randomness; an effect starts only after the rows that
//! decided it are committed; nothing is shown that is not committed, because whoever watches
//! reads it from the store; no truth is kept in memory: what is here besides the store are handles
//! to tasks and copies of rows that cannot change, which can be lost at any instant. There is no window in here, no HTTP and no SQL.
//!
//! Entry point: [`Engine`].

mod attachment;
mod attention;
mod bus;
mod calls;
mod cause;
mod clock;
mod command_error;
mod decide;
mod digest;
mod drive;
mod effects;
mod engine;
mod execute;
mod held;
mod history;
mod ids;
mod jobs;
mod markdown;
mod model;
mod notices;
mod patience;
mod pin;
mod planning;
mod policy;
mod read_result;
mod recovery;
mod registry;
mod request;
mod subscription;
mod summary;
mod sync;
mod timekeeper;
mod title;
mod tool;
mod transact;
mod turns;
mod watch;
mod work;
mod workspaces;

pub use clock::{Clock, SystemClock};
pub use command_error::from_store as command_error;
pub use engine::{Engine, Held, OpenError, Options};
pub use ids::{Ids, RandomIds};
pub use model::{
    ImageLimits, Model, ModelError, ModelEvent, ModelRequest, ModelStream, RequestCall,
    RequestImage, RequestMessage, RequestPart,
};
pub use policy::Withheld;
pub use recovery::Recovered;
pub use registry::{Answer, FixedModels, Models, Providers, Served, Slot};
pub use store::{ProviderRow, StateChange};
pub use subscription::Subscription;
pub use tool::{
    CallInput, Checked, FileIntent, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture,
    ToolSpec,
};
pub use watch::SessionWatch;
pub use workspaces::{RestoreError, Workspaces};
