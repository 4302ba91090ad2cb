//! The layer's VFS: a copy of the platform's, with three methods of its own.
#![expect(
    unsafe_code,
    reason = "SQLite takes a VFS as a C structure of function pointers; there is no safe way to give it one"
)]

use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::mem::size_of;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi;

use super::fault::Call;
use super::shim_file::{self, ShimFile};
use super::{disk::Disk, route};

/// Its name in SQLite's list.
const NAME: &CStr = c"holdfast-watch";

/// SQLite's part first, as C's way of extending a structure wants it.
#[repr(C)]
struct ShimVfs {
    base: ffi::sqlite3_vfs,
    /// The platform's VFS, which lives as long as the process.
    real: *mut ffi::sqlite3_vfs,
}

/// Makes the layer SQLite's default VFS, once per process. It is never taken away again: connections
/// may be open until the very end.
pub(super) fn register() -> io::Result<()> {
    static REGISTERED: OnceLock<Result<(), &'static str>> = OnceLock::new();
    REGISTERED
        .get_or_init(register_now)
        .map_err(io::Error::other)
}

fn register_now() -> Result<(), &'static str> {
    // SAFETY: a null name asks for the default VFS. SQLite initialises itself in this call if need
    // be, and may be called from any thread.
    let real = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    // SAFETY: a VFS that SQLite found stays registered and in place for the life of the process (the
    // platform's are static); nobody writes to it but SQLite's own list handling of `pNext`, under
    // its lock and not while we copy, because only this call registers one.
    let Some(&base) = (unsafe { real.as_ref() }) else {
        return Err("SQLite has no VFS on this platform");
    };
    let (Some(_), Some(_), Some(_)) = (base.xOpen, base.xDelete, base.xAccess) else {
        return Err("the platform's VFS lacks a method");
    };
    let Ok(shim_bytes) = c_int::try_from(size_of::<ShimFile>()) else {
        return Err("the layer's file is too large");
    };
    // A copy: methods that are not replaced find in it all that the platform's VFS would show them,
    // `pAppData` above all.
    let shim = ShimVfs {
        base: ffi::sqlite3_vfs {
            szOsFile: base.szOsFile + shim_bytes,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            xOpen: Some(x_open),
            xDelete: Some(x_delete),
            xAccess: Some(x_access),
            ..base
        },
        real,
    };
    // Leaked on purpose: SQLite keeps the pointer for the life of the process.
    let shim = Box::into_raw(Box::new(shim));
    // SAFETY: `shim` points to a whole VFS that is never moved or freed, and `ShimVfs` begins with
    // it (`repr(C)`).
    let code = unsafe { ffi::sqlite3_vfs_register(shim.cast(), 1) };
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err("SQLite refused the layer")
    }
}

/// The platform's VFS, of which `vfs` is the layer.
///
/// # Safety
/// `vfs` is what SQLite gave to a method of the layer, so it is the `ShimVfs` that was registered.
unsafe fn real_of(vfs: *mut ffi::sqlite3_vfs) -> *mut ffi::sqlite3_vfs {
    let shim: *const ShimVfs = vfs.cast();
    // SAFETY: by the contract above it points to the leaked `ShimVfs`, which nobody writes to after
    // it was registered, apart from SQLite's `pNext` in `base`; only `real` is read.
    unsafe { (*shim).real }
}

/// Who watches the file of this name; nobody for a file without a name or with one that is no text.
///
/// # Safety
/// `name` is null or a string that ends with a zero byte and stays as it is during this call.
unsafe fn watched(name: *const c_char) -> Option<(std::sync::Arc<Disk>, String)> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, and a C string by the contract above; it is copied before this returns.
    let path = unsafe { CStr::from_ptr(name) }.to_str().ok()?.to_owned();
    route::of(&path).map(|disk| (disk, path))
}

unsafe extern "C" fn x_open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls a VFS's method with that VFS.
    let real = unsafe { real_of(vfs) };
    // SAFETY: `real` was checked to have the method when the layer was registered.
    let open = unsafe { (*real).xOpen };
    let Some(open) = open else {
        return ffi::SQLITE_CANTOPEN;
    };
    // SAFETY: SQLite's contract for `xOpen`: null, or a string that outlives the open file.
    let Some((disk, path)) = (unsafe { watched(name) }) else {
        // SAFETY: the arguments are SQLite's own, for the VFS that they would have reached without
        // the layer; `file` has more room than that VFS asks for, which does no harm.
        return unsafe { open(real, name, file, flags, out_flags) };
    };
    let shim: *mut ShimFile = file.cast();
    // SAFETY: `file` has the `szOsFile` bytes that the layer asked for: a `ShimFile`, then the
    // platform's file. It is SQLite's to give and nobody else uses it until this returns.
    let inner = unsafe { shim_file::prepare(shim) };
    // SQLite marks what may make a log or a journal; the platform's VFS syncs the folder with the
    // first sync of such a handle (see `unixOpen`, `UNIXFILE_DIRSYNC`).
    let journals =
        ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;
    let may_make_log = flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & journals != 0;
    let (code, opened) = disk.open(Path::new(&path), may_make_log, || {
        // SAFETY: as above; `inner` is the room behind the `ShimFile`, of the size that `real` asks
        // for and aligned like it, and is not moved until it is closed.
        unsafe { open(real, name, inner, flags, out_flags) }
    });
    // SAFETY: `prepare` was called on this very room, and the platform's open is over.
    unsafe { shim_file::finish_open(shim, code, opened) };
    code
}

unsafe extern "C" fn x_delete(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    sync_folder: c_int,
) -> c_int {
    // SAFETY: SQLite calls a VFS's method with that VFS.
    let real = unsafe { real_of(vfs) };
    // SAFETY: the platform's VFS lives as long as the process.
    let delete = unsafe { (*real).xDelete };
    let Some(delete) = delete else {
        return ffi::SQLITE_IOERR_DELETE;
    };
    let run = || {
        // SAFETY: SQLite's own arguments, for the VFS that they would have reached without the layer.
        unsafe { delete(real, name, sync_folder) }
    };
    // SAFETY: SQLite gives `xDelete` a string that lives during the call.
    match unsafe { watched(name) } {
        Some((disk, path)) => disk.delete(Path::new(&path), sync_folder != 0, run),
        None => run(),
    }
}

unsafe extern "C" fn x_access(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    answer: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls a VFS's method with that VFS.
    let real = unsafe { real_of(vfs) };
    // SAFETY: the platform's VFS lives as long as the process.
    let access = unsafe { (*real).xAccess };
    let Some(access) = access else {
        return ffi::SQLITE_IOERR_ACCESS;
    };
    let run = || {
        // SAFETY: SQLite's own arguments, for the VFS that they would have reached without the layer.
        unsafe { access(real, name, flags, answer) }
    };
    // SAFETY: SQLite gives `xAccess` a string that lives during the call.
    match unsafe { watched(name) } {
        Some((disk, _)) => disk.pass(Call::Access, run),
        None => run(),
    }
}
