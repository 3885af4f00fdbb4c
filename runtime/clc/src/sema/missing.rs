//! What OpenCL C has and Touchstone does not, by name: the rows of `missing.txt`.

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Type,
    Function,
}

/// The rows: what their names are of, the feature they belong to, and they.
fn rows() -> impl Iterator<Item = (What, &'static str, &'static str)> {
    include_str!("missing.txt").lines().filter_map(|row| {
        let (head, names) = row.split_once(": ")?;
        let (word, feature) = head.split_once(' ')?;
        let what = match word {
            "type" => What::Type,
            "function" => What::Function,
            _ => return None,
        };
        Some((what, feature, names))
    })
}

/// Names, or beginnings of names with a star, each with the feature it belongs to.
pub(super) fn names(of: What) -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = rows().filter(move |&(what, ..)| what == of);
    rows.flat_map(|(_, feature, names)| names.split(' ').map(move |name| (name, feature)))
}

/// The feature that a name belongs to.
pub(super) fn feature(of: What, name: &str) -> Option<&'static str> {
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let mut all = names(of).filter(|&(pattern, _)| fits(pattern));
    all.next().map(|(_, feature)| feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let written = include_str!("missing.txt").lines();
        assert_eq!(
            rows().count(),
            written.filter(|row| !row.starts_with('#')).count()
        );
        assert!(names(What::Type).all(|(name, _)| !name.contains('*')));
        assert_eq!(
            feature(What::Function, "get_image_num_samples"),
            Some("mip-mapped and multi-sample images")
        );
        for own in [
            "read",
            "read_image",
            "read_imagef_row",
            "get_kernel_index",
            "work_group_sum",
            "enqueue_item",
        ] {
            assert_eq!(feature(What::Function, own), None, "{own}");
        }
    }
}
