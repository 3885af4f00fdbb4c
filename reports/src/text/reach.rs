//! How far a run came in its time, in a sentence.

use super::number::grouped;
use crate::record::Reach;

/// `131 of 131 rules that apply exercised; 212 of 958 cases not reached`.
pub fn reach(reach: &Reach) -> String {
    let number = |n: usize| grouped(n as u64);
    let rules = format!(
        "{} of {} rules that apply exercised",
        number(reach.exercised),
        number(reach.apply)
    );
    match reach.unreached.len() {
        0 => rules,
        n => format!(
            "{rules}; {} of {} cases not reached",
            number(n),
            number(reach.planned)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CaseId;

    #[test]
    fn what_was_not_reached_is_counted() {
        let mut all = Reach {
            exercised: 131,
            apply: 131,
            planned: 1_958,
            unreached: Vec::new(),
        };
        assert_eq!(reach(&all), "131 of 131 rules that apply exercised");
        all.unreached = vec![CaseId::new("api", "again", "00001")];
        assert_eq!(
            reach(&all),
            "131 of 131 rules that apply exercised; 1 of 1,958 cases not reached"
        );
    }
}
