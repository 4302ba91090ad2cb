//! What a child learns of our environment: what it needs to find its libraries and devices. Everything
//! else stays here, since any of it may be a key.

use std::ffi::{OsStr, OsString};

/// By which a process of ours is known.
pub(super) const MARK: &str = "HOLDFAST_SERVED";

const ALLOWED: [&str; 22] = [
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "GGML_VK_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "HOME",
    "HSA_OVERRIDE_GFX_VERSION",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "ONEAPI_DEVICE_SELECTOR",
    "ROCR_VISIBLE_DEVICES",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "USERPROFILE",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "XDG_CACHE_HOME",
];

/// All that a child is given.
pub(super) fn of_child(programs: &OsStr, mark: &str) -> Vec<(OsString, OsString)> {
    let allowed = std::env::vars_os().filter(|(name, _)| {
        name.to_str()
            .is_some_and(|name| ALLOWED.contains(&name.to_ascii_uppercase().as_str()))
    });
    let own = [
        (OsString::from("PATH"), programs.to_owned()),
        (OsString::from(MARK), OsString::from(mark)),
    ];
    allowed.chain(own).collect()
}
