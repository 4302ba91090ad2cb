//! The layer's file: SQLite's part, what the watch knows, and behind both the platform's file.
//!
//! Reads, locks and the log's index go through to the platform's file as they are, so that several
//! connections share a database as they always do. Writes, truncations and syncs go through as well,
//! and are noted in the order in which they were done.
//!
//! What the file says about the device: sector size and "a write harms no bytes beside it"
//! (`POWERSAFE_OVERWRITE`) as the platform's VFS says it, because the app runs with just that, and
//! images are made by the same rule: sectors are torn apart, bytes beside a write stay. Promises
//! that the images break (atomic writes, ordered writes, safe appends) are taken out; no platform of
//! ours makes them.
#![expect(
    unsafe_code,
    reason = "SQLite calls a file's methods through C function pointers with raw pointers"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::size_of;
use std::ptr;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods};

use super::disk::{OpenFile, Setting};
use super::fault::Call;

/// SQLite's part first, as C's way of extending a structure wants it. The platform's file follows
/// right behind it in the same piece of memory: `repr(C)` with two pointers keeps that aligned.
#[repr(C)]
pub(super) struct ShimFile {
    base: sqlite3_file,
    /// From `Box::into_raw`; freed in `x_close`.
    opened: *mut OpenFile,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(x_close),
    xRead: Some(x_read),
    xWrite: Some(x_write),
    xTruncate: Some(x_truncate),
    xSync: Some(x_sync),
    xFileSize: Some(x_file_size),
    xLock: Some(x_lock),
    xUnlock: Some(x_unlock),
    xCheckReservedLock: Some(x_check_reserved_lock),
    xFileControl: Some(x_file_control),
    xSectorSize: Some(x_sector_size),
    xDeviceCharacteristics: Some(x_device_characteristics),
    xShmMap: Some(x_shm_map),
    xShmLock: Some(x_shm_lock),
    xShmBarrier: Some(x_shm_barrier),
    xShmUnmap: Some(x_shm_unmap),
    xFetch: Some(x_fetch),
    xUnfetch: Some(x_unfetch),
};

/// The platform's file behind a layer's file.
///
/// # Safety
/// `shim` points to the room that SQLite gave to `xOpen`: a `ShimFile` and the platform's file.
unsafe fn inner_of(shim: *mut ShimFile) -> *mut sqlite3_file {
    // SAFETY: the room has `size_of::<ShimFile>()` bytes and more, so one step stays inside of it.
    unsafe { shim.add(1) }.cast()
}

/// Makes the room ready to be opened: neither file has methods, which tells SQLite, and us, that
/// there is nothing to close yet. Gives the place for the platform's file.
///
/// # Safety
/// `shim` points to room of `size_of::<ShimFile>()` bytes and the platform's `szOsFile`, aligned to
/// 8 bytes, that nobody else uses.
pub(super) unsafe fn prepare(shim: *mut ShimFile) -> *mut sqlite3_file {
    const { assert!(size_of::<ShimFile>().is_multiple_of(8)) };
    let empty = ShimFile {
        base: sqlite3_file {
            pMethods: ptr::null(),
        },
        opened: ptr::null_mut(),
    };
    // SAFETY: the room is ours and large enough by the contract above; what was in it needs no drop.
    unsafe { shim.write(empty) };
    // SAFETY: the room is the one that this function asks for.
    let inner = unsafe { inner_of(shim) };
    let nothing = sqlite3_file {
        pMethods: ptr::null(),
    };
    // SAFETY: the platform's file begins with SQLite's part and has its place there.
    unsafe { inner.write(nothing) };
    inner
}

/// Gives the file its methods if it could be opened.
///
/// # Safety
/// `shim` was prepared, the platform's open ended with `code`, and nobody else uses it yet.
pub(super) unsafe fn finish_open(shim: *mut ShimFile, code: c_int, opened: OpenFile) {
    // SAFETY: by the contract above.
    let inner = unsafe { inner_of(shim) };
    // SAFETY: `prepare` wrote it, the platform's open may have changed it; it is a whole value.
    let methods = unsafe { (*inner).pMethods };
    if code == ffi::SQLITE_OK {
        // SAFETY: the room is ours until `xOpen` returns; `prepare` made it a whole value.
        let shim = unsafe { &mut *shim };
        shim.opened = Box::into_raw(Box::new(opened));
        shim.base.pMethods = &raw const METHODS;
    } else if !methods.is_null() {
        // SQLite will not close a file without methods, so ours must let go of the platform's.
        // SAFETY: not null, so it is the platform's table, which is static.
        if let Some(close) = unsafe { (*methods).xClose } {
            // SAFETY: a failed open that set its methods is to be closed (SQLite's rule for `xOpen`).
            unsafe { close(inner) };
        }
    }
}

/// The watch's part of a file.
///
/// # Safety
/// `file` is what SQLite gave to a method of `METHODS`, so `finish_open` filled it and `x_close` has
/// not been called; and SQLite uses one file from one thread at a time.
unsafe fn opened<'a>(file: *mut sqlite3_file) -> &'a mut OpenFile {
    let shim: *mut ShimFile = file.cast();
    // SAFETY: a `ShimFile` by the contract above.
    let opened = unsafe { (*shim).opened };
    // SAFETY: it came from `Box::into_raw`. No other reference to it exists: one file is used from one
    // thread at a time, and each method makes one.
    unsafe { &mut *opened }
}

/// Calls a method of the platform's file; `$missing` if it has none of that name.
///
/// # Safety (of the block that it expands to)
/// `$file` is a layer's file that is open, the further arguments are SQLite's own for that method.
macro_rules! real {
    ($file:expr, $method:ident, $missing:expr $(, $argument:expr)*) => {{
        // SAFETY: SQLite gave this file to a method of `METHODS`, so it has the layer's layout.
        let inner = unsafe { inner_of($file.cast()) };
        // SAFETY: the platform's open went well, so there is a file.
        let methods = unsafe { (*inner).pMethods };
        // SAFETY: the file of an open that went well has a table of methods, which is static.
        let method = unsafe { (*methods).$method };
        match method {
            // SAFETY: the platform's own method on the platform's own open file, with the arguments
            // that SQLite gave for it.
            Some(method) => unsafe { method(inner $(, $argument)*) },
            None => $missing,
        }
    }};
}

unsafe extern "C" fn x_close(file: *mut sqlite3_file) -> c_int {
    let code = real!(file, xClose, ffi::SQLITE_OK);
    let shim: *mut ShimFile = file.cast();
    // SAFETY: SQLite closes an open file once; `finish_open` filled it.
    let shim = unsafe { &mut *shim };
    // SAFETY: from `Box::into_raw` in `finish_open`, and freed nowhere else.
    drop(unsafe { Box::from_raw(shim.opened) });
    shim.opened = ptr::null_mut();
    shim.base.pMethods = ptr::null();
    code
}

unsafe extern "C" fn x_read(
    file: *mut sqlite3_file,
    buffer: *mut c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.disk.pass(Call::Read, || {
        real!(file, xRead, ffi::SQLITE_IOERR_READ, buffer, amount, offset)
    })
}

unsafe extern "C" fn x_write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    let (Ok(length), Ok(at)) = (usize::try_from(amount), u64::try_from(offset)) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: SQLite gives `amount` bytes that nobody changes during the call, and at least one.
    let bytes = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), length) };
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.write(at, bytes, |length| {
        // Never more than `amount`, which was one.
        let amount = c_int::try_from(length).unwrap_or(amount);
        real!(
            file,
            xWrite,
            ffi::SQLITE_IOERR_WRITE,
            buffer,
            amount,
            offset
        )
    })
}

unsafe extern "C" fn x_truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    let Ok(bytes) = u64::try_from(size) else {
        return ffi::SQLITE_IOERR_TRUNCATE;
    };
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.truncate(bytes, || {
        real!(file, xTruncate, ffi::SQLITE_IOERR_TRUNCATE, size)
    })
}

unsafe extern "C" fn x_sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.sync(|| real!(file, xSync, ffi::SQLITE_IOERR_FSYNC, flags))
}

unsafe extern "C" fn x_file_size(file: *mut sqlite3_file, size: *mut i64) -> c_int {
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.disk.pass(Call::Size, || {
        real!(file, xFileSize, ffi::SQLITE_IOERR_FSTAT, size)
    })
}

unsafe extern "C" fn x_lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.disk.pass(Call::Lock, || {
        real!(file, xLock, ffi::SQLITE_IOERR_LOCK, level)
    })
}

unsafe extern "C" fn x_unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    real!(file, xUnlock, ffi::SQLITE_IOERR_UNLOCK, level)
}

unsafe extern "C" fn x_check_reserved_lock(file: *mut sqlite3_file, answer: *mut c_int) -> c_int {
    real!(
        file,
        xCheckReservedLock,
        ffi::SQLITE_IOERR_CHECKRESERVEDLOCK,
        answer
    )
}

unsafe extern "C" fn x_file_control(
    file: *mut sqlite3_file,
    operation: c_int,
    argument: *mut c_void,
) -> c_int {
    match operation {
        // Only advice, and one that lets a file grow without a write. SQLite does not mind.
        ffi::SQLITE_FCNTL_SIZE_HINT | ffi::SQLITE_FCNTL_CHUNK_SIZE => return ffi::SQLITE_NOTFOUND,
        ffi::SQLITE_FCNTL_PRAGMA => {
            // SAFETY: SQLite's contract for a file's method.
            let setting = unsafe { opened(file) }.disk.setting();
            // SAFETY: for this operation SQLite gives three strings, of which the third may be null.
            unsafe { keep_at(argument.cast(), setting) };
        }
        _ => {}
    }
    real!(
        file,
        xFileControl,
        ffi::SQLITE_NOTFOUND,
        operation,
        argument
    )
}

/// Replaces the argument of `PRAGMA synchronous = …` before SQLite itself reads it.
///
/// # Safety
/// `pragma` points to three pointers: to a message to give back, to the name, and to the argument or
/// null. Name and argument end with a zero byte. The argument of a pragma that came as SQL is
/// SQLite's own copy of it, which it lets go of after this call.
unsafe fn keep_at(pragma: *mut *mut c_char, setting: Setting) {
    let Some(level) = setting.level() else {
        return;
    };
    // SAFETY: three pointers by the contract above.
    let [_, name, value] = unsafe { pragma.cast::<[*mut c_char; 3]>().read() };
    if name.is_null() || value.is_null() {
        return;
    }
    // SAFETY: not null, and ends with a zero byte by the contract above.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: the same.
    let length = unsafe { CStr::from_ptr(value) }.count_bytes();
    if !name.to_bytes().eq_ignore_ascii_case(b"synchronous") || length == 0 {
        return;
    }
    let bytes: *mut u8 = value.cast();
    // SAFETY: there is at least one byte before the closing zero, so both places are inside of the
    // string, which is a copy that belongs to this pragma (a `synchronous` comes only as SQL).
    unsafe { bytes.cast::<[u8; 2]>().write_unaligned([level, 0]) };
}

unsafe extern "C" fn x_sector_size(file: *mut sqlite3_file) -> c_int {
    real!(file, xSectorSize, 4096)
}

unsafe extern "C" fn x_device_characteristics(file: *mut sqlite3_file) -> c_int {
    const KEPT: c_int = ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
        | ffi::SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN
        | ffi::SQLITE_IOCAP_SUBPAGE_READ;
    let real: c_int = real!(file, xDeviceCharacteristics, 0);
    real & KEPT
}

unsafe extern "C" fn x_shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    bytes: c_int,
    extend: c_int,
    mapped: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.disk.pass(Call::MapIndex, || {
        real!(
            file,
            xShmMap,
            ffi::SQLITE_IOERR_SHMMAP,
            page,
            bytes,
            extend,
            mapped
        )
    })
}

unsafe extern "C" fn x_shm_lock(
    file: *mut sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    let run = || {
        real!(
            file,
            xShmLock,
            ffi::SQLITE_IOERR_SHMLOCK,
            offset,
            count,
            flags
        )
    };
    // Giving a lock back does not fail.
    if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
        return run();
    }
    // SAFETY: SQLite's contract for a file's method.
    let opened = unsafe { opened(file) };
    opened.disk.pass(Call::LockIndex, run)
}

unsafe extern "C" fn x_shm_barrier(file: *mut sqlite3_file) {
    real!(file, xShmBarrier, ());
}

unsafe extern "C" fn x_shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    real!(file, xShmUnmap, ffi::SQLITE_OK, delete)
}

/// A file is not mapped: null tells SQLite to read instead, and every read can be made to fail.
unsafe extern "C" fn x_fetch(
    _file: *mut sqlite3_file,
    _offset: i64,
    _amount: c_int,
    mapped: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite gives a place for one pointer.
    unsafe { mapped.write(ptr::null_mut()) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn x_unfetch(file: *mut sqlite3_file, offset: i64, mapped: *mut c_void) -> c_int {
    real!(file, xUnfetch, ffi::SQLITE_OK, offset, mapped)
}
