//! The names of the entry points, in the order of the dispatch table of `cl_khr_icd`.

/// Entry points that have a slot in the dispatch table, in its order.
pub(crate) const DISPATCHED: [&str; 149] = lines(include_str!("dispatched.txt"));

/// Entry points that a program can link to or ask for and that have no slot that can be relied on.
pub(crate) const UNDISPATCHED: [&str; 2] = [
    "clGetKernelSuggestedLocalWorkSize",
    "clIcdGetPlatformIDsKHR",
];

/// How many entry points there are.
pub(crate) const COUNT: usize = DISPATCHED.len() + UNDISPATCHED.len();

/// One entry point of OpenCL, known by its place in the dispatch table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u16);

impl Entry {
    /// The entry point with this name, or none if OpenCL has no such entry point.
    pub const fn find(name: &str) -> Option<Entry> {
        let mut index = 0;
        while index < COUNT {
            if same(Entry(index as u16).name(), name) {
                return Some(Entry(index as u16));
            }
            index += 1;
        }
        None
    }

    /// Like [`Entry::find`], for names written in this crate: a wrong one does not compile.
    pub(crate) const fn named(name: &str) -> Entry {
        match Entry::find(name) {
            Some(entry) => entry,
            None => panic!("no such entry point"),
        }
    }

    /// The name that a program calls it by.
    pub const fn name(self) -> &'static str {
        let index = self.0 as usize;
        if index < DISPATCHED.len() {
            DISPATCHED[index]
        } else {
            UNDISPATCHED[index - DISPATCHED.len()]
        }
    }

    /// Its place among all entry points.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its slot in the dispatch table, if it has one.
    pub(crate) const fn slot(self) -> Option<usize> {
        if self.index() < DISPATCHED.len() {
            Some(self.index())
        } else {
            None
        }
    }

    /// Every entry point.
    pub(crate) fn all() -> impl Iterator<Item = Entry> {
        (0..COUNT as u16).map(Entry)
    }
}

/// The lines of a text that has so many.
const fn lines<const COUNT: usize>(text: &str) -> [&str; COUNT] {
    let mut lines = [""; COUNT];
    let (mut rest, mut line, mut length) = (text, 0, 0);
    while length < rest.len() {
        if rest.as_bytes()[length] == b'\n' {
            let (name, behind) = rest.split_at(length);
            lines[line] = name;
            (rest, line, length) = (behind.split_at(1).1, line + 1, 0);
        } else {
            length += 1;
        }
    }
    assert!(line == COUNT, "another number of lines");
    lines
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_dispatch_table() {
        let slot = |name| Entry::find(name).and_then(Entry::slot);
        // Checked against the C header's offsetof: first, last, and one behind each foreign block.
        assert_eq!(slot("clGetPlatformIDs"), Some(0));
        assert_eq!(slot("clSetEventCallback"), Some(81));
        assert_eq!(slot("clCreateImage"), Some(96));
        assert_eq!(slot("clCreateCommandQueueWithProperties"), Some(123));
        assert_eq!(slot("clSetContextDestructorCallback"), Some(148));
        assert_eq!(slot("clGetKernelSuggestedLocalWorkSize"), None);
        assert_eq!(Entry::find("clNoSuchThing"), None);
    }

    #[test]
    fn the_table_agrees_with_the_published_binding() {
        use opencl_sys::cl_icd::cl_icd_dispatch;
        use std::mem::offset_of;
        let word = size_of::<usize>();
        for (name, offset) in [
            (
                "clGetPlatformInfo",
                offset_of!(cl_icd_dispatch, clGetPlatformInfo),
            ),
            ("clFinish", offset_of!(cl_icd_dispatch, clFinish)),
            (
                "clSetEventCallback",
                offset_of!(cl_icd_dispatch, clSetEventCallback),
            ),
            ("clCreateImage", offset_of!(cl_icd_dispatch, clCreateImage)),
            ("clSVMAlloc", offset_of!(cl_icd_dispatch, clSVMAlloc)),
            ("clCloneKernel", offset_of!(cl_icd_dispatch, clCloneKernel)),
            (
                "clSetContextDestructorCallback",
                offset_of!(cl_icd_dispatch, clSetContextDestructorCallback),
            ),
        ] {
            let slot = Entry::find(name).and_then(Entry::slot);
            assert_eq!(slot, Some(offset / word), "{name}");
        }
    }
}
