//! Which of two driver versions is the later one.

use std::cmp::Ordering;

/// A driver's version, as its numbers say: `2026.22.10.0.01_160000`, `3.1+debian`, `Oclgrind 21.10`.
///
/// What stands before the first digit is a name and counts for nothing. Numbers are compared as numbers, from
/// the left; a version whose numbers go on is the later one. Where all numbers are equal the texts decide, so
/// that the order is total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverVersion {
    numbers: Vec<u128>,
    text: String,
}

impl DriverVersion {
    /// The version in a text; `None` where there is no digit in it.
    pub fn read(text: &str) -> Option<DriverVersion> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let numbers = text[start..]
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            // Longer than any version's numbers: as large as can be.
            .map(|digits| digits.parse().unwrap_or(u128::MAX));
        Some(DriverVersion {
            numbers: numbers.collect(),
            text: text[start..].trim_end().to_owned(),
        })
    }

    /// The version without what stands before it and without what follows its dotted numbers, as
    /// `2026.22.10.0.01`: enough for a heading.
    pub fn short(&self) -> &str {
        let end = self
            .text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(self.text.len());
        self.text[..end].trim_end_matches('.')
    }
}

impl Ord for DriverVersion {
    fn cmp(&self, other: &DriverVersion) -> Ordering {
        let numbers = self.numbers.cmp(&other.numbers);
        numbers.then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for DriverVersion {
    fn partial_cmp(&self, other: &DriverVersion) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version(text: &str) -> DriverVersion {
        DriverVersion::read(text).expect("a version")
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let later = [
            ("2026.21.7.0.24_160000", "2026.22.10.0.01_160000"),
            (
                "2022.14.10.0.20_160000.xmain-hotfix",
                "2022.15.12.0.01_081451",
            ),
            ("2021.12.9.0.24_005321", "2021.13.11.0.23_160000"),
            ("Oclgrind 18.3", "Oclgrind 19.10"),
            ("Oclgrind 19.10", "Oclgrind 21.10"),
            ("1.3", "3.0"),
            ("3.0-rc2", "3.1+debian"),
            ("22.3.6", "22.10"),
            ("3.1", "3.1.1"),
        ];
        for (earlier, later) in later {
            assert!(version(earlier) < version(later), "{earlier} {later}");
        }
        assert_eq!(version("Oclgrind 21.10"), version("21.10"));
        assert_eq!(DriverVersion::read("unknown"), None);
        assert_eq!(DriverVersion::read(""), None);
    }

    #[test]
    fn a_heading_has_the_dotted_numbers() {
        for (text, short) in [
            ("2026.22.10.0.01_160000", "2026.22.10.0.01"),
            ("3.1+debian", "3.1"),
            ("Oclgrind 21.10", "21.10"),
            ("0.1.0", "0.1.0"),
            ("7.", "7"),
        ] {
            assert_eq!(version(text).short(), short);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_place(a in "\\PC{0,24}", b in "\\PC{0,24}", c in "[0-9.+_-]{0,60}") {
            let all = [&a, &b, &c].map(|text| DriverVersion::read(text));
            let [a, b, c] = &all;
            prop_assert_eq!(a.cmp(b), b.cmp(a).reverse());
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
            for version in all.iter().flatten() {
                prop_assert!(version.text.starts_with(version.short()));
            }
        }
    }
}
