//! Where keys are kept: the system's keychain, or an encrypted file if the person has chosen that.
//!
//! A key goes in and comes out towards a request, nowhere else. Nothing here is asked at the start:
//! a keychain that is missing or locked is found out when somebody needs it, and said then.

mod desk;
mod file;
mod keychain;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use models::SecretString;
use protocol::KeyPlace;

pub(crate) use desk::Desk;
pub use file::KeyFile;
pub use keychain::Keychain;

/// A place for keys. It may block: ask it through a [`Desk`].
pub trait Keys: std::fmt::Debug + Send + Sync + 'static {
    /// Keeps a key under a name, in the place of the one before.
    fn put(&self, name: &str, key: &SecretString) -> Result<(), KeyError>;

    /// The key of that name, if there is one.
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyError>;

    /// Forgets it. What is not there is forgotten.
    fn remove(&self, name: &str) -> Result<(), KeyError>;
}

/// Why a key cannot be kept or read. None of these holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nobody keeps keys here.
    #[error("There is no keychain on this computer that can be reached")]
    NoKeychain,
    /// It is there, and does not give access.
    #[error("The keychain is locked or gives no access")]
    Locked,
    /// It did not answer, or somebody is still waiting for it.
    #[error("The keychain does not answer")]
    TooSlow,
    /// It failed in another way.
    #[error("The keychain failed")]
    Failed,
    /// It was kept, and is gone.
    #[error("It is no longer where it was kept ({})", place_name(*.0))]
    Missing(KeyPlace),
    /// The file can be read by others.
    #[error("{} can be read by others than you", .0.display())]
    OpenToOthers(PathBuf),
    /// The file that opens the others is gone.
    #[error("{} is missing", .0.display())]
    NoKeyFile(PathBuf),
    /// The file was changed by somebody else, or is broken.
    #[error("{} was changed or is damaged", .0.display())]
    Damaged(PathBuf),
    /// The disk refused.
    #[error("{} cannot be used: {kind}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What happened.
        kind: std::io::ErrorKind,
    },
}

impl KeyError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NoKeychain => {
                "Start a keychain (a Secret Service such as GNOME Keyring or KWallet), or set key_store to file."
            }
            Self::Locked => "Unlock the keychain, then try again.",
            Self::TooSlow => "Look whether it asks for a password, then try again.",
            Self::Failed => "Try again, or set key_store to file.",
            Self::Missing(_) => "Give the key again.",
            Self::OpenToOthers(_) => {
                "Others may have read your keys: replace them, and take the rights away with chmod 600."
            }
            Self::NoKeyFile(_) | Self::Damaged(_) => {
                "Put the file back from a copy, or delete keys.sealed and give the keys again."
            }
            Self::Disk { .. } => "Look at the folder's rights and space, then try again.",
        }
    }
}

const fn place_name(place: KeyPlace) -> &'static str {
    match place {
        KeyPlace::Keychain => "the keychain",
        KeyPlace::File => "the encrypted file",
    }
}
