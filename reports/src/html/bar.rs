//! A bar of the parts of a whole, with its legend: verdicts, standings of rules, what became of faults.

use crate::text::number::grouped;
use askama::Template;

#[derive(Template)]
#[template(path = "bar.html")]
pub(super) struct Bar {
    parts: Vec<Part>,
}

struct Part {
    class: &'static str,
    name: &'static str,
    count: usize,
}

impl Part {
    fn shown(&self) -> String {
        grouped(self.count as u64)
    }
}

impl Bar {
    /// The parts that are not empty, each with its class in the style, its name and its size.
    pub fn of(parts: impl IntoIterator<Item = (&'static str, &'static str, usize)>) -> Bar {
        let parts = parts
            .into_iter()
            .map(|(class, name, count)| Part { class, name, count });
        Bar {
            parts: parts.filter(|part| part.count > 0).collect(),
        }
    }

    /// The parts in words.
    pub fn counted(&self) -> String {
        let parts = self.parts.iter().map(|p| format!("{} {}", p.count, p.name));
        parts.collect::<Vec<_>>().join(", ")
    }
}
