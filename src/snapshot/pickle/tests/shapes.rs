//! Dictionaries that are read as a whole are those that single opcodes make.

use super::super::PickleError;
use super::{Plain, run};
use proptest::prelude::*;

/// What a pickle leaves, and how many dictionaries were read as a whole.
fn both(bytes: &[u8]) -> (Result<String, PickleError>, usize) {
    let read = |one_by_one| {
        let mut plain = Plain {
            one_by_one,
            ..Plain::default()
        };
        let value = run(bytes, &mut plain);
        (value.map(|v| plain.words(v)), plain.filled)
    };
    let (slow, none) = read(true);
    assert_eq!(none, 0);
    let (fast, filled) = read(false);
    assert_eq!(fast, slow, "{bytes:?}");
    (fast, filled)
}

/// Two keys in the memo at 0 and 1, and a list that is left open: what follows goes into it.
const KEYS: &[u8] = b"\x8c\x01a\x94\x8c\x01b\x94](";

fn with_keys(items: &[u8]) -> Vec<u8> {
    // The end is not in sight of what is read as a whole.
    [KEYS, items, b"e.", &[0; 16]].concat()
}

#[test]
fn keys_that_come_again_are_read_as_a_whole() {
    let (words, filled) = both(&with_keys(
        b"}\x94(h\0K\x01h\x01M\x01\x02u}\x94(h\0J\xff\xff\xff\xffh\x01\x8a\x02\xff\x00u",
    ));
    assert_eq!(words.as_deref(), Ok("[{'a' 1 'b' 513} {'a' -1 'b' 255}]"));
    assert_eq!(filled, 2);
}

#[test]
fn numbers_of_every_length_keep_their_sign() {
    for (bytes, number) in [
        (&b"\x8a\x01\x80"[..], "-128"),
        (b"\x8a\x01\x7f", "127"),
        (b"\x8a\x07\x44\x3b\xa3\x29\x17\x65\x06", "1800000017480516"),
        (b"\x8a\x08\0\0\0\0\0\0\0\x80", "-9223372036854775808"),
        (
            b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
            "9223372036854775807",
        ),
        // These two are left to the single opcodes.
        (b"\x8a\x00", "0"),
        (
            b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00",
            "18446744073709551615",
        ),
    ] {
        let items = [b"}(h\0", bytes, b"u}(h\0", bytes, b"u"].concat();
        let (words, _) = both(&with_keys(&items));
        assert_eq!(words, Ok(format!("[{{'a' {number}}} {{'a' {number}}}]")));
    }
}

#[test]
fn a_dictionary_that_is_filled_further_is_left_to_single_opcodes() {
    let (words, filled) = both(&with_keys(b"}(h\0K\x01u}(h\0K\x02u(h\x01K\x03u"));
    assert_eq!(words.as_deref(), Ok("[{'a' 1} {'a' 2 'b' 3}]"));
    assert_eq!(filled, 1);
    let (words, _) = both(&with_keys(b"}(h\0K\x01u}(h\0K\x02uh\x01K\x03s"));
    assert!(words.is_ok());
}

#[test]
fn a_key_that_means_something_else_later_is_told() {
    // The place of the first key is used again for another text, between two dictionaries and as what
    // stores a value of one.
    let (words, _) = both(&with_keys(
        b"}(h\0K\x01u}(h\0K\x02u\x8c\x01zq\x000}(h\0K\x03u}(h\0K\x04u",
    ));
    assert_eq!(words.as_deref(), Ok("[{'a' 1} {'a' 2} {'z' 3} {'z' 4}]"));
    let (words, _) = both(&with_keys(b"}(h\0\x8c\x01yq\0u}(h\0K\x02u"));
    assert_eq!(words.as_deref(), Ok("[{'a' 'y'} {'y' 2}]"));
}

#[test]
fn what_is_odd_in_the_middle_is_an_error_at_its_byte() {
    for (items, byte) in [
        (&b"}(h\0K\x01u}(h\0h\x09u"[..], 0x15),
        (b"}(h\0K\x01u}(h\0\xffu", 0x15),
    ] {
        let bytes = with_keys(items);
        let (error, _) = both(&bytes);
        let found = match error {
            Err(PickleError::NoMemo { byte, .. } | PickleError::NoOpcode { byte, .. }) => byte,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, byte);
    }
}

/// The opcodes of one value.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let memo = prop_oneof![
        4 => Just(vec![0x94]),
        2 => Just(Vec::new()),
        1 => (0_u8..6).prop_map(|at| vec![b'q', at]),
        1 => (0_u8..6).prop_map(|at| vec![b'r', at, 0, 0, 0]),
    ];
    let recall = (0_u8..6).prop_map(|at| vec![b'h', at]);
    let far = (0_u8..6).prop_map(|at| vec![b'j', at, 0, 0, 0]);
    let number = prop::collection::vec(any::<u8>(), 0..10).prop_map(|bytes| {
        let length = u8::try_from(bytes.len()).expect("short");
        [vec![0x8a, length], bytes].concat()
    });
    let text = ("[a-c]{0,3}", memo.clone()).prop_map(|(text, memo)| {
        let length = u8::try_from(text.len()).expect("short");
        [&[0x8c, length], text.as_bytes(), &memo].concat()
    });
    let run = prop::collection::vec(prop_oneof![recall.clone(), far.clone()], 0..4);
    let list = (memo, run).prop_map(|(memo, run)| match run.len() {
        0 => [&b"]"[..], &memo].concat(),
        1 => [b"]", &*memo, &run.concat(), b"a"].concat(),
        _ => [b"]", &*memo, b"(", &run.concat(), b"e"].concat(),
    });
    prop_oneof![
        recall,
        far,
        number,
        text,
        list,
        Just(b"N".to_vec()),
        Just(b"\x88".to_vec()),
        Just(b"K\x07".to_vec()),
        Just(b"M\x07\x08".to_vec()),
        Just(b"J\xf0\xff\xff\xff".to_vec()),
        Just(b"}(h\0K\x01u".to_vec()),
        Just(b"G\x3f\xf8\0\0\0\0\0\0".to_vec()),
    ]
}

/// A dictionary: mostly with all keys in their order.
fn dict() -> impl Strategy<Value = Vec<u8>> {
    let keys = prop_oneof![
        4 => Just(vec![0_u8, 1, 2]),
        1 => Just(vec![0, 2, 1]),
        1 => prop::collection::vec(0_u8..4, 0..4),
    ];
    let values = prop::collection::vec(value(), 4);
    let end = prop_oneof![
        8 => Just(&b"u"[..]),
        1 => Just(&b"u(h\x03Nu"[..]),
        1 => Just(&b"uh\x02Ns"[..]),
    ];
    (keys, values, end, any::<bool>()).prop_map(|(keys, values, end, is_stored)| {
        let memo: &[u8] = if is_stored { b"\x94" } else { b"" };
        let mut bytes = [b"}", memo, b"("].concat();
        for (key, value) in keys.iter().zip(values) {
            bytes.extend([b'h', *key]);
            bytes.extend(value);
        }
        bytes.extend(end);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whole_dictionaries_and_single_opcodes_agree(dicts in prop::collection::vec(dict(), 0..8)) {
        let keys = b"\x8c\x01a\x94\x8c\x01b\x94\x8c\x01c\x94K\x05\x940](";
        let bytes = [keys, &*dicts.concat(), b"e.", &[0; 16]].concat();
        let _agree = both(&bytes);
    }
}
