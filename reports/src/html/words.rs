//! Numbers and texts as the page shows them.

use crate::report::OutcomeFacts;
pub(super) use crate::text::number::count;
use crate::text::number::{bound, interval, rate};
use time::OffsetDateTime;

/// How often something was seen: its rate, or the bound that it is below.
pub(super) fn seen(facts: &OutcomeFacts) -> String {
    match facts.bound() {
        Some(below) => format!("< {}", bound(below)),
        None => rate(facts.rate()),
    }
}

/// Its interval; nothing where there is only a bound.
pub(super) fn ends(facts: &OutcomeFacts) -> String {
    match facts.bound() {
        Some(_) => String::new(),
        None => interval(facts.interval.low, facts.interval.high),
    }
}

/// A moment, to the second, in UTC.
pub(super) fn moment(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!(
        "{} {} {}, {:02}:{:02}:{:02} UTC",
        at.day(),
        at.month(),
        at.year(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// A duration, in its largest useful unit.
pub(super) fn lasting(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A text cut to so many bytes at the end of a line where there is one near; with what to say of the rest.
pub(super) fn cut(text: &str, most: usize) -> (String, String) {
    let text = text.trim_end();
    if text.len() <= most {
        return (text.to_owned(), String::new());
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = match text[..end].rfind('\n') {
        Some(line) if line > end / 2 => &text[..line],
        Some(_) | None => &text[..end],
    };
    let left = text.len() - kept.len();
    let left = crate::text::number::grouped(left as u64);
    (
        kept.to_owned(),
        format!("{left} more bytes are in the store."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_lines_and_say_so() {
        assert_eq!(cut("short\n", 10), ("short".into(), String::new()));
        let (kept, said) = cut("one line\nanother line\nthird", 24);
        assert_eq!(kept, "one line\nanother line");
        assert_eq!(said, "6 more bytes are in the store.");
        let (kept, _) = cut(&"é".repeat(10), 5);
        assert_eq!(kept, "éé");
    }

    #[test]
    fn times_for_people() {
        assert_eq!(lasting(2.34), "2.3 s");
        assert_eq!(lasting(61.0), "1 min 1 s");
        assert_eq!(lasting(7322.0), "2 h 2 min");
        let at = time::macros::datetime!(2024-05-06 07:08:09 UTC);
        assert_eq!(moment(at), "6 May 2024, 07:08:09 UTC");
        assert_eq!(
            (count(1, "case"), count(1200, "case")),
            ("1 case".into(), "1,200 cases".into())
        );
    }
}
