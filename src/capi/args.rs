//! Checks of arguments from C. Null, misaligned, non-finite, unterminated and overlapping arguments
//! are refused before anything is read or written through them.

use crate::error::{Error, Result};
use crate::linalg::first_not_finite;
use crate::model::Model;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::path::Path;

/// Converts the value of a C enumeration; an invalid value is an error that lists the allowed ones.
macro_rules! choice {
    ($value:expr, $name:expr, $enum:ident { $($variant:ident => $to:expr),* $(,)? }) => {{
        let value: i32 = $value;
        $(if value == $enum::$variant as i32 { Ok($to) } else)* {
            Err(crate::error::Error::invalid(format!(
                "{}: expected one of{}, got {value}",
                $name,
                [$(format!(" {} ({})", stringify!($variant), $enum::$variant as i32)),*].join(",")
            )))
        }
    }};
}

fn usable<T>(p: *const T, name: &str) -> Result<()> {
    if p.is_null() {
        return Err(Error::invalid(format!("{name}: must not be NULL")));
    }
    if !p.is_aligned() {
        return Err(Error::invalid(format!(
            "{name}: must be aligned to {} bytes, got {p:p}",
            align_of::<T>()
        )));
    }
    Ok(())
}

/// The object behind a pointer, for reading.
pub unsafe fn reference<'a, T>(p: *const T, name: &str) -> Result<&'a T> {
    usable(p, name)?;
    // SAFETY: not null and aligned; the header's rules promise a live object.
    Ok(unsafe { &*p })
}

/// The object behind a pointer, for reading and writing.
pub unsafe fn exclusive<'a, T>(p: *mut T, name: &str) -> Result<&'a mut T> {
    usable(p, name)?;
    // SAFETY: not null and aligned; the header's rules promise a live object used by one thread.
    Ok(unsafe { &mut *p })
}

/// A checked pointer to memory that may be uninitialized; the caller writes the whole value.
pub fn place<T>(p: *mut T, name: &str) -> Result<*mut T> {
    usable(p, name)?;
    Ok(p)
}

/// As [`place`], or `None` for a null pointer.
pub fn optional_place<T>(p: *mut T, name: &str) -> Result<Option<*mut T>> {
    if p.is_null() {
        return Ok(None);
    }
    place(p, name).map(Some)
}

/// `count` elements. A null pointer is accepted if `count` is 0.
pub unsafe fn array<'a, T>(p: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    usable(p, name)?;
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Error::invalid(format!(
            "{name}: {count} elements are more than memory holds"
        )));
    }
    // SAFETY: not null, aligned, of possible size; the header's rules promise the elements.
    Ok(unsafe { std::slice::from_raw_parts(p, count) })
}

/// `count` finite numbers.
pub unsafe fn numbers<'a>(p: *const f64, count: usize, name: &str) -> Result<&'a [f64]> {
    // SAFETY: as the caller's.
    let x = unsafe { array(p, count, name)? };
    finite(x, name)?;
    Ok(x)
}

/// `count` elements, or an empty slice for a null pointer.
pub unsafe fn optional_array<'a, T>(p: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if p.is_null() {
        return Ok(&[]);
    }
    // SAFETY: as the caller's.
    unsafe { array(p, count, name) }
}

/// A configuration: finite, with quaternions that are not far from unit length.
pub unsafe fn configuration<'a>(p: *const f64, model: &Model, name: &str) -> Result<&'a [f64]> {
    // SAFETY: as the caller's.
    let q = unsafe { numbers(p, model.nq(), name)? };
    check_quaternions(model, q, name)?;
    Ok(q)
}

/// Refuses quaternions that are far from unit length.
pub fn check_quaternions(model: &Model, q: &[f64], name: &str) -> Result<()> {
    match model.bad_quaternion(q) {
        None => Ok(()),
        Some((joint, norm)) => Err(Error::invalid(format!(
            "{name}: the quaternion of joint \"{joint}\" must have unit norm, got {norm}"
        ))),
    }
}

pub fn finite(x: &[f64], name: &str) -> Result<()> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(Error::numerical(format!(
            "{name}[{i}]: must be finite, got {}",
            x[i]
        ))),
    }
}

/// A null-terminated string.
pub unsafe fn string<'a>(p: *const c_char, name: &str) -> Result<&'a CStr> {
    usable(p, name)?;
    // SAFETY: not null; the header's rules promise a terminated string.
    Ok(unsafe { CStr::from_ptr(p) })
}

/// A null-terminated string in UTF-8.
pub unsafe fn text<'a>(p: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: as the caller's.
    utf8(unsafe { string(p, name)? }.to_bytes(), name)
}

pub fn utf8<'a>(bytes: &'a [u8], name: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|e| {
        Error::invalid(format!(
            "{name}: must be UTF-8, byte {} is not",
            e.valid_up_to()
        ))
    })
}

/// A path in the system's own encoding.
pub unsafe fn path<'a>(p: *const c_char, name: &str) -> Result<&'a Path> {
    // SAFETY: as the caller's.
    let bytes = unsafe { string(p, name)? }.to_bytes();
    #[cfg(unix)]
    let text = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes);
    #[cfg(not(unix))]
    let text = OsStr::new(utf8(bytes, name)?);
    Ok(Path::new(text))
}

/// An index below `count`.
pub fn index(i: i32, count: usize, name: &str, what: &str) -> Result<usize> {
    usize::try_from(i)
        .ok()
        .filter(|&i| i < count)
        .ok_or_else(|| {
            Error::invalid(match count.checked_sub(1) {
                Some(last) => {
                    let a = if what.starts_with('a') { "an" } else { "a" };
                    format!("{name}: must be the id of {a} {what}, 0 to {last}, got {i}")
                }
                None => format!("{name}: there is no {what}, got {i}"),
            })
        })
}

/// 0 or 1.
pub fn flag(x: i32, name: &str) -> Result<bool> {
    match x {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::invalid(format!("{name}: must be 0 or 1, got {x}"))),
    }
}

/// A field that must be 0.
pub fn zero(x: i32, name: &str) -> Result<()> {
    match x {
        0 => Ok(()),
        _ => Err(Error::invalid(format!("{name}: must be 0, got {x}"))),
    }
}

/// An id as C gets it; -1 for `None`.
pub fn id(i: Option<usize>) -> i32 {
    i.and_then(|i| i32::try_from(i).ok()).unwrap_or(-1)
}

/// Strings as C sees them. A string from Rust code or from a file may contain a NUL; it is cut there.
pub fn strings<'a>(list: impl Iterator<Item = &'a String>) -> Vec<CString> {
    list.map(|s| {
        let end = s.find('\0').unwrap_or(s.len());
        CString::new(&s[..end]).unwrap_or_default()
    })
    .collect()
}

/// Structs that start with their own size, so that they can grow.
///
/// # Safety
/// `#[repr(C)]`, first field a `usize` size, no padding, every bit pattern a value.
pub unsafe trait Growing: Copy {
    const NAME: &'static str;
    /// Size of the struct in the first version that had it.
    const FIRST: usize;
    fn defaults() -> Self;
}

/// The body of the `_init` functions.
pub unsafe fn init<T: Growing>(p: *mut T) {
    super::wall::value((), || {
        usable(p, T::NAME)?;
        // SAFETY: not null and aligned.
        unsafe { p.write(T::defaults()) };
        Ok(())
    });
}

/// Copies a growing struct. Fields that the caller's header lacks get their defaults; fields that
/// this library lacks must be zero. Null gives all defaults.
pub unsafe fn grown<T: Growing>(p: *const T, name: &str) -> Result<T> {
    let mut value = T::defaults();
    if p.is_null() {
        return Ok(value);
    }
    usable(p, name)?;
    // SAFETY: not null and aligned; every version starts with its size.
    let size = unsafe { p.cast::<usize>().read() };
    if !(T::FIRST..=4096).contains(&size) {
        return Err(Error::invalid(format!(
            "{name}: struct_size must be {} to 4096, got {size}; call {}_init first",
            T::FIRST,
            T::NAME
        )));
    }
    let known = size.min(size_of::<T>());
    // SAFETY: the caller's struct has `size` bytes; ours is plain data.
    unsafe {
        std::ptr::copy_nonoverlapping(p.cast::<u8>(), (&raw mut value).cast::<u8>(), known);
        let rest = std::slice::from_raw_parts(p.cast::<u8>().add(known), size - known);
        if rest.iter().any(|&b| b != 0) {
            return Err(Error::unsupported(format!(
                "{name}: {size} bytes with fields set that this library ({} bytes) does not know",
                size_of::<T>()
            )));
        }
    }
    Ok(value)
}

/// `count` growing structs in an array, all of the first one's size.
pub unsafe fn grown_array<T: Growing>(p: *const T, count: usize, name: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let mut size = 0;
    for i in 0..count {
        let name = format!("{name}[{i}]");
        // `size` is the caller's size, known after the first element.
        let at = p.wrapping_byte_add(i * size);
        usable(at, &name)?;
        // SAFETY: as the caller's.
        list.push(unsafe { grown(at, &name)? });
        // SAFETY: not null and aligned; every version starts with its size.
        let own = unsafe { at.cast::<usize>().read() };
        if i > 0 && own != size {
            return Err(Error::invalid(format!(
                "{name}: struct_size must equal that of the first element, {size}, got {own}"
            )));
        }
        size = own;
    }
    Ok(list)
}

/// Writes a changed struct back: only the part that the caller's header has.
pub unsafe fn write_back<T: Growing>(p: *mut T, value: &T) {
    // SAFETY: `grown` has read the struct before, so `size` bytes of the caller's are there; ours is
    // plain data.
    unsafe {
        let size = p.cast::<usize>().read().min(size_of::<T>());
        std::ptr::copy_nonoverlapping((&raw const *value).cast::<u8>(), p.cast::<u8>(), size);
    }
}

/// The destination of the numbers of a result.
#[derive(Clone, Copy)]
pub struct Out {
    name: &'static str,
    at: *mut f64,
    count: usize,
}

impl Out {
    /// A result that the caller must want, unless it has no numbers.
    pub fn new(at: *mut f64, count: usize, name: &'static str) -> Result<Out> {
        if count > 0 {
            usable(at, name)?;
        }
        Ok(Out { name, at, count })
    }

    /// A result that a null pointer declines.
    pub fn optional(at: *mut f64, count: usize, name: &'static str) -> Result<Out> {
        if at.is_null() {
            return Ok(Out { name, at, count });
        }
        Out::new(at, count, name)
    }

    pub fn wanted(&self) -> bool {
        !self.at.is_null()
    }

    /// Part i of a result in parts of `count` numbers.
    pub fn part(self, i: usize, count: usize) -> Out {
        Out {
            at: self
                .at
                .wrapping_add(if self.wanted() { i * count } else { 0 }),
            count,
            ..self
        }
    }

    fn overlaps(&self, at: *const f64, count: usize) -> bool {
        let (a, b) = (self.at.addr(), at.addr());
        self.wanted()
            && !at.is_null()
            && a < b.saturating_add(size_of::<f64>() * count)
            && b < a.saturating_add(size_of::<f64>() * self.count)
    }

    unsafe fn slice<'a>(self) -> Option<&'a mut [f64]> {
        // SAFETY: not null, aligned; the header's rules promise room for `count` numbers.
        self.wanted()
            .then(|| unsafe { std::slice::from_raw_parts_mut(self.at, self.count) })
    }
}

/// Refuses overlap of two results that are copied out. They may overlap arguments.
pub fn apart(a: Out, b: Out) -> Result<()> {
    if a.count > 0 && b.count > 0 && a.overlaps(b.at, b.count) {
        return Err(Error::invalid(format!(
            "{}: must not overlap {}",
            b.name, a.name
        )));
    }
    Ok(())
}

/// Results written in place: they may overlap neither an input nor one another.
pub unsafe fn in_place<'a, const N: usize>(
    outs: [Out; N],
    inputs: &[(&str, &[f64])],
) -> Result<[Option<&'a mut [f64]>; N]> {
    for (i, a) in outs.iter().enumerate() {
        let others = outs[..i]
            .iter()
            .map(|b| (b.name, b.at.cast_const(), b.count));
        let inputs = inputs.iter().map(|(n, x)| (*n, x.as_ptr(), x.len()));
        for (name, at, count) in others.chain(inputs) {
            if count > 0 && a.count > 0 && a.overlaps(at, count) {
                return Err(Error::invalid(format!(
                    "{}: must not overlap {name}",
                    a.name
                )));
            }
        }
    }
    // SAFETY: disjoint, as just checked.
    Ok(outs.map(|o| unsafe { o.slice() }))
}

/// Copies finished results out, all or none. A result that is not finite fails the call.
pub unsafe fn publish<const N: usize>(results: [(&[f64], Out); N]) -> Result<()> {
    for (from, to) in &results {
        if to.wanted()
            && let Some(i) = first_not_finite(from)
        {
            return Err(Error::numerical(format!(
                "{}[{i}]: the result is not finite: {}",
                to.name, from[i]
            )));
        }
    }
    for (from, to) in results {
        // SAFETY: as the caller's.
        unsafe { copy(from, to) };
    }
    Ok(())
}

/// Hands a new object to the caller.
pub unsafe fn give<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T>) -> Result<()> {
    usable(out, "out")?;
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: not null and aligned.
    unsafe { out.write(made) };
    Ok(())
}

/// Takes an object back and drops it. Null is ignored.
pub unsafe fn take<T>(p: *mut T) {
    super::wall::value((), || {
        if !p.is_null() {
            // SAFETY: made by `give` and given back once, as the header's rules promise.
            drop(unsafe { Box::from_raw(p) });
        }
        Ok(())
    });
}

/// Computes `count` numbers in memory of its own and publishes them, so that the result may overlap
/// an argument. Only very large models need the heap for it.
pub unsafe fn through(
    count: usize,
    out: Out,
    compute: impl FnOnce(&mut [f64]) -> Result<()>,
) -> Result<()> {
    const STACK: usize = 512;
    let mut stack = [0.0; STACK];
    let mut heap = Vec::new();
    let x = if count <= STACK {
        &mut stack[..count]
    } else {
        heap.resize(count, 0.0);
        &mut heap[..]
    };
    compute(x)?;
    // SAFETY: as the caller's.
    unsafe { publish([(x, out)]) }
}

/// Copies numbers out without a check.
pub unsafe fn copy(from: &[f64], to: Out) {
    if to.wanted() {
        debug_assert_eq!(from.len(), to.count);
        // SAFETY: room for `count` numbers, as the header's rules promise; `copy` allows overlap.
        unsafe { std::ptr::copy(from.as_ptr(), to.at, from.len()) };
    }
}

/// One required result written in place.
pub unsafe fn matrix<'a>(out: Out, inputs: &[(&str, &[f64])]) -> Result<&'a mut [f64]> {
    // SAFETY: as the caller's.
    let [x] = unsafe { in_place([out], inputs)? };
    Ok(x.unwrap_or_default())
}
