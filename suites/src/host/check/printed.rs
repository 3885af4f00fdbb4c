//! What kernels printed: lines, by the text of "printf".
//!
//! Lines of a case begin with [`MARK`]; what else comes to standard output is somebody else's. A line is a pattern,
//! because the text leaves some of it open: `{inf|infinity}` is either, and `*` any letters, digits and underscores.

use serde::{Deserialize, Serialize};

/// What each line begins with.
pub const MARK: char = '~';

/// Lines that have to be printed, without others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The patterns.
    pub lines: Vec<String>,
    /// They come in this order, since one work-item prints them all. Otherwise what one work-item prints may even lie
    /// between the characters of another ("printf Output Synchronization").
    pub in_order: bool,
}

/// Whether a text is what a pattern says.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'{', rest)) => {
            let end = rest.iter().position(|c| *c == b'}').unwrap_or(rest.len());
            let after = rest.get(end + 1..).unwrap_or_default();
            let mut each = rest[..end].split(|c| *c == b'|');
            each.any(|one| matches(&[one, after].concat(), text))
        }
        Some((b'*', rest)) => {
            let word = |c: &&u8| c.is_ascii_alphanumeric() || **c == b'_';
            let most = text.iter().take_while(word).count();
            (0..=most).any(|n| matches(rest, &text[n..]))
        }
        Some((c, rest)) => text.first() == Some(c) && matches(rest, &text[1..]),
    }
}

/// What is wrong with what was printed, which is called this.
pub fn check(name: &str, wanted: &Printed, seen: &[u8]) -> Option<String> {
    let lines = seen.split(|c| *c == b'\n');
    let mut seen_lines: Vec<&[u8]> = lines
        .filter(|line| line.first() == Some(&(MARK as u8)))
        .collect();
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    if wanted.in_order {
        for (n, pattern) in wanted.lines.iter().enumerate() {
            match seen_lines.get(n) {
                None => return Some(format!("{name}: line {n} is missing, \"{pattern}\"")),
                Some(line) if matches(pattern.as_bytes(), line) => {}
                Some(line) => {
                    let line = text(line);
                    return Some(format!("{name}: line {n} is \"{line}\", not \"{pattern}\""));
                }
            }
        }
        let more = seen_lines.get(wanted.lines.len());
        return more.map(|line| format!("{name}: \"{}\" is a line too many", text(line)));
    }
    if sorted(seen) == sorted(&[wanted.lines.join("\n").as_bytes(), b"\n"].concat()) {
        return None;
    }
    for pattern in &wanted.lines {
        let place = seen_lines
            .iter()
            .position(|line| matches(pattern.as_bytes(), line));
        let Some(place) = place else {
            return Some(format!("{name}: a line \"{pattern}\" is missing"));
        };
        seen_lines.swap_remove(place);
    }
    let more = seen_lines.first();
    more.map(|line| format!("{name}: \"{}\" is a line too many", text(line)))
}

fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.sort_unstable();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(lines: &[&str], in_order: bool) -> Printed {
        Printed {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            in_order,
        }
    }

    #[test]
    fn a_pattern_leaves_open_what_it_says() {
        for (pattern, right, wrong) in [
            (
                "a{b|cd}e",
                &["abe", "acde"][..],
                &["ae", "abcde", "abe "][..],
            ),
            (
                "{nan|-nan}{|(*)}",
                &["nan", "-nan(0x_1)", "nan()"],
                &["nan(", "nan(-)"],
            ),
            ("50%", &["50%"], &["50%%", ""]),
        ] {
            let of = |text: &&str| matches(pattern.as_bytes(), text.as_bytes());
            assert!(right.iter().all(of), "{pattern}");
            assert!(!wrong.iter().any(of), "{pattern}");
        }
    }

    #[test]
    fn lines_come_once_each_and_in_order_where_one_work_item_prints() {
        let of = |wanted: &Printed, seen: &str| check("it", wanted, seen.as_bytes());
        let two = printed(&["~0:a", "~1:b"], true);
        assert_eq!(of(&two, "~0:a\nof the driver\n~1:b\n"), None);
        let told = of(&two, "~1:b\n~0:a\n").expect("a violation");
        assert_eq!(told, "it: line 0 is \"~1:b\", not \"~0:a\"");
        let told = of(&two, "~0:a\n").expect("a violation");
        assert_eq!(told, "it: line 1 is missing, \"~1:b\"");
        let told = of(&two, "~0:a\n~1:b\n~1:b\n").expect("a violation");
        assert_eq!(told, "it: \"~1:b\" is a line too many");
        let any = printed(&["~0:a", "~1:b"], false);
        // In any order, and with the characters of one between those of the other.
        for right in ["~1:b\n~0:a\n", "~0:~1:ba\n\n"] {
            assert_eq!(of(&any, right), None);
        }
        for wrong in ["~1:b\n~1:b\n", "~0:a\n", "~0:a\n~1:b\n~0:a\n"] {
            assert!(of(&any, wrong).is_some(), "{wrong}");
        }
    }
}
