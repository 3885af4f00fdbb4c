use super::*;

#[test]
fn contents_are_as_long_as_they_are_asked_for() {
    let all = [
        Contents::Zero,
        Contents::Words(vec![1, 2, 3]),
        Contents::Longs(vec![1]),
        Contents::Bytes(vec![9; 5]),
        Contents::Every(7),
        Contents::Noise(3),
        Contents::Count(5),
    ];
    for contents in all {
        for length in [0, 1, 4, 7, 30] {
            let bytes = contents.bytes(length);
            assert_eq!(bytes.len(), length, "{contents:?}");
            // A shorter stretch is the beginning of a longer one.
            assert!(contents.bytes(40).starts_with(&bytes), "{contents:?}");
        }
    }
}

#[test]
fn words_are_little_endian_and_zeros_follow_what_is_listed() {
    assert_eq!(Contents::Words(vec![0x0102]).bytes(6), [2, 1, 0, 0, 0, 0]);
    assert_eq!(
        Contents::Longs(vec![1]).bytes(9),
        [1, 0, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(Contents::Bytes(vec![3]).bytes(2), [3, 0]);
    assert_eq!(Contents::Every(5).bytes(8), [5, 0, 0, 0, 5, 0, 0, 0]);
    let last = Contents::Count(u32::MAX).bytes(8);
    assert_eq!(last, [255, 255, 255, 255, 0, 0, 0, 0], "it begins again");
    assert!(Contents::Zero.is_zero() && !Contents::Every(0).is_zero());
}

#[test]
fn noise_never_shows_a_byte_twice_in_a_row_and_differs_by_its_number() {
    for seed in 0..50 {
        let bytes = Contents::Noise(seed).bytes(500);
        assert!(bytes.windows(2).all(|two| two[0] != two[1]), "{seed}");
        assert_ne!(bytes, Contents::Noise(seed + 1).bytes(500));
        let mut values = bytes;
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > 150, "{seed}: {}", values.len());
    }
}

#[test]
fn units_have_sizes_and_names() {
    let all = [Unit::Byte, Unit::Word, Unit::Long];
    assert_eq!(all.map(Unit::bytes), [1, 4, 8]);
    assert_eq!(all.map(Unit::name), ["byte", "word", "long"]);
}
