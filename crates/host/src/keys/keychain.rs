//! The system's keychain: Secret Service, Keychain or Credential Manager.

use std::sync::{Arc, Mutex, PoisonError};

use keyring_core::{CredentialStore, Entry, Error};
use models::SecretString;
use secrecy::ExposeSecret;
use zeroize::Zeroizing;

use super::{KeyError, Keys};

/// What our entries are found under.
const SERVICE: &str = "holdfast";

/// How the system's store is reached.
type Open = fn() -> Result<Arc<CredentialStore>, Error>;

/// The system's keychain, looked for when it is first needed, and again while there is none.
pub struct Keychain {
    open: Open,
    store: Mutex<Option<Arc<CredentialStore>>>,
}

impl std::fmt::Debug for Keychain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keychain")
    }
}

impl Default for Keychain {
    fn default() -> Self {
        Self::opened_by(system)
    }
}

impl Keychain {
    pub(super) const fn opened_by(open: Open) -> Self {
        let store = Mutex::new(None);
        Self { open, store }
    }

    fn entry(&self, name: &str) -> Result<Entry, KeyError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = match &*store {
            Some(store) => Arc::clone(store),
            None => {
                let opened =
                    (self.open)().map_err(|error| told("open", &error, KeyError::NoKeychain))?;
                Arc::clone(store.insert(opened))
            }
        };
        let entry = store.build(SERVICE, name, None);
        entry.map_err(|error| told("build", &error, KeyError::Failed))
    }

    /// A connection that broke is made anew the next time.
    fn failed(&self, doing: &'static str, error: &Error) -> KeyError {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        *store = None;
        let otherwise = if matches!(error, Error::NoStorageAccess(_)) {
            KeyError::Locked
        } else {
            KeyError::Failed
        };
        told(doing, error, otherwise)
    }
}

impl Keys for Keychain {
    fn put(&self, name: &str, key: &SecretString) -> Result<(), KeyError> {
        let entry = self.entry(name)?;
        entry
            .set_secret(key.expose_secret().as_bytes())
            .map_err(|error| self.failed("put", &error))
    }

    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        match self.entry(name)?.get_secret() {
            Ok(bytes) => {
                let bytes = Zeroizing::new(bytes);
                let text = std::str::from_utf8(&bytes).map_err(|_| KeyError::Failed)?;
                Ok(Some(SecretString::from(text)))
            }
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(self.failed("get", &error)),
        }
    }

    fn remove(&self, name: &str) -> Result<(), KeyError> {
        match self.entry(name)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(self.failed("remove", &error)),
        }
    }
}

/// Only the kind is logged: some errors carry what was stored.
fn told(doing: &'static str, error: &Error, as_what: KeyError) -> KeyError {
    let kind = match error {
        Error::PlatformFailure(_) => "platform_failure",
        Error::NoStorageAccess(_) => "no_storage_access",
        Error::NoEntry => "no_entry",
        Error::BadEncoding(_) => "bad_encoding",
        Error::BadDataFormat(..) => "bad_data_format",
        Error::BadStoreFormat(_) => "bad_store_format",
        Error::TooLong(..) => "too_long",
        Error::Invalid(..) => "invalid",
        Error::Ambiguous(_) => "ambiguous",
        Error::NotSupportedByStore(_) => "not_supported",
        Error::NoDefaultStore | _ => "other",
    };
    tracing::warn!(name: "host.keychain.failed", doing, kind);
    as_what
}

#[cfg(target_os = "macos")]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(target_os = "windows")]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}
