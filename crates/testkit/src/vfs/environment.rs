//! A fault for a process of its own: told by its environment, as failpoints are.

use std::io;

use super::{Failure, Fault};

/// `failure:at:lasting`: which call fails, and whether all later ones do.
pub const DISK_FAULT_VARIABLE: &str = "HOLDFAST_DISK_FAULT";

impl Failure {
    /// Its name in the environment.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IoError => "io_error",
            Self::Full => "full",
            Self::ShortWrite => "short_write",
            Self::SyncError => "sync_error",
        }
    }
}

impl Fault {
    /// What the variable says of it.
    pub fn to_variable(self) -> String {
        format!("{}:{}:{}", self.failure.name(), self.at, self.is_lasting)
    }

    fn from_variable(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let name = parts.next()?;
        Some(Self {
            failure: *Failure::ALL.iter().find(|one| one.name() == name)?,
            at: parts.next()?.parse().ok()?,
            is_lasting: parts.next()?.parse().ok()?,
        })
    }
}

impl Fault {
    /// The fault that the environment asks for.
    pub fn from_environment() -> io::Result<Self> {
        let text = std::env::var(DISK_FAULT_VARIABLE).unwrap_or_default();
        Self::from_variable(&text)
            .ok_or_else(|| io::Error::other(format!("{DISK_FAULT_VARIABLE} is {text}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_goes_through_the_environment() {
        for failure in Failure::ALL {
            for is_lasting in [false, true] {
                let fault = Fault {
                    failure: *failure,
                    at: 17,
                    is_lasting,
                };
                assert_eq!(Fault::from_variable(&fault.to_variable()), Some(fault));
            }
        }
        assert_eq!(Fault::from_variable("full:x:true"), None);
    }
}
