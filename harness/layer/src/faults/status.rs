//! The names of the error codes that a call can answer with.

use opencl_sys::cl_int;

/// Every error of OpenCL 3.0 and `cl_khr_icd`, its name and its code on a line.
const STATUSES: &str = include_str!("statuses.txt");

/// The error of a name or a negative number.
pub(crate) fn parse(word: &str) -> Option<cl_int> {
    let mut rows = STATUSES.lines().filter_map(|row| row.split_once(' '));
    let named = rows.find(|(name, _)| *name == word);
    let code = named.map_or(word, |(_, code)| code);
    code.parse().ok().filter(|status: &cl_int| *status < 0)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use opencl_sys::*;

    #[test]
    fn names_and_negative_numbers_are_errors() {
        assert_eq!(parse("CL_DEVICE_NOT_FOUND"), Some(CL_DEVICE_NOT_FOUND));
        assert_eq!(parse("CL_INVALID_VALUE"), Some(CL_INVALID_VALUE));
        assert_eq!(parse("CL_INVALID_SPEC_ID"), Some(CL_INVALID_SPEC_ID));
        let last = Some(CL_PLATFORM_NOT_FOUND_KHR);
        assert_eq!(parse("CL_PLATFORM_NOT_FOUND_KHR"), last);
        assert_eq!(parse("-77"), Some(-77));
        for word in ["CL_SUCCESS", "0", "5", "CL_", ""] {
            assert_eq!(parse(word), None, "{word}");
        }
    }

    #[test]
    fn every_name_has_a_code_of_its_own() {
        let rows = super::STATUSES.lines();
        let codes: Vec<_> = rows.map(|row| parse(row.split(' ').next()?)).collect();
        assert_eq!(codes.len(), 63);
        assert!(codes.iter().all(Option::is_some));
        let different: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(different.len(), 63);
    }
}
