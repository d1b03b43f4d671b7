//! Base names worked by hand, and text that is meant to break the reader.

use std::time::{Duration, Instant};

use super::base_name;

#[test]
fn return_type_template_arguments_and_parameters_go() {
    for (name, base) in [
        ("void foo<int>(float*, int)", "foo"),
        ("void ns::foo<a<b>, (c)1>(d<e>)", "ns::foo"),
        ("foo(int) [clone .kd]", "foo"),
        ("foo.kd", "foo"),
        ("ns::foo<int>::bar<float>(int)", "ns::foo::bar"),
        ("float const* ns::foo(int)", "ns::foo"),
        (
            "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(float)",
            "internal::gemvx::kernel",
        ),
        ("decltype(nullptr) foo(int)", "foo"),
        (
            "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
            "ncclDevKernel_SendRecv",
        ),
        ("void f<(A)1, (3>2)>(int)", "f"),
        ("void f<(1<2)>(int)", "f"),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn namespaces_without_a_name_stay() {
    for (name, base) in [
        (
            "void (anonymous namespace)::foo<int>(int)",
            "(anonymous namespace)::foo",
        ),
        (
            "void a::(anonymous namespace)::foo(int)",
            "a::(anonymous namespace)::foo",
        ),
        ("void a::<unnamed>::foo<int>(int)", "a::<unnamed>::foo"),
        ("void a::{anonymous}::foo<int>(int)", "a::{anonymous}::foo"),
        ("(anonymous namespace)::foo", "(anonymous namespace)::foo"),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn operators_and_lambdas_are_names() {
    for (name, base) in [
        ("void ns::F::operator()(int) const", "ns::F::operator()"),
        (
            "void ns::F::operator()<int>(int) const",
            "ns::F::operator()",
        ),
        ("bool ns::operator< <int>(int)", "ns::operator<"),
        ("bool ns::operator<<<int>(int)", "ns::operator<<"),
        (
            "ns::F::operator unsigned int<3>() const",
            "ns::F::operator unsigned int",
        ),
        ("ns::F::operator->() const", "ns::F::operator->"),
        (
            "ns::g(int, h<2>) const::{lambda(int, int)#1}::operator()(int) const",
            "ns::g::{lambda(int, int)#1}::operator()",
        ),
        (
            "ns::g()::'lambda'(int)::operator()(int) const",
            "ns::g::'lambda'::operator()",
        ),
        ("void f<&ns::operator< <int>, int>(int)", "f"),
        ("void f<g()::{lambda(int)->h#1}>(int)", "f"),
        ("my_operator<int>(int)", "my_operator"),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn text_that_is_no_signature_stays_whole() {
    for name in [
        "Memcpy HtoD (Pageable -> Device)",
        "Memset (Device)",
        "[CUDA memcpy DtoH]",
        "triton_poi_fused_add_0",
        "dma_request",
        "",
        "::",
        "カーネル",
    ] {
        assert_eq!(base_name(name), name);
    }
    assert_eq!(base_name("void rcclGenericKernel"), "rcclGenericKernel");
}

#[test]
fn mangled_names_give_their_identifiers() {
    for (name, base) in [
        (
            "_Z22ncclDevKernel_Generic_24ncclDevKernelArgsStorageILm4096EE",
            "ncclDevKernel_Generic_",
        ),
        ("_ZL3foov", "foo"),
        (
            "_ZN2ck6device12_GLOBAL__N_13gemI1aEEvv",
            "ck::device::(anonymous namespace)::gem",
        ),
        ("_ZNSt3fooEv.kd", "std::foo"),
        ("_ZN5aiter40reduce_scat", "aiter::reduce_scat"),
        ("_ZN", "_ZN"),
        ("_Zero", "_Zero"),
        (
            "_Z99999999999999999999999foo",
            "_Z99999999999999999999999foo",
        ),
        ("_Z0", "_Z0"),
        ("_Z2日", "日"),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn truncated_names_give_what_is_there() {
    for (name, base) in [
        ("void ns::foo<int, (anon", "ns::foo"),
        ("void ns::foo<int>(float*, at::Tens", "ns::foo"),
        ("void a::(anonymous names", "a::(anonymous names"),
        ("foo)", "foo)"),
        ("foo>(int)", "foo>"),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn no_text_panics_or_takes_long() {
    // A hand-made generator keeps this test free of seeds and of dependencies.
    const PIECES: [&str; 24] = [
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "::",
        " ",
        "operator",
        "->",
        "void ",
        "_Z",
        "N",
        "9",
        "é",
        "日本",
        "decltype",
        " const",
        "'",
        "\0",
        "x",
        "(anonymous namespace)",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for length in (0..4_000).map(|n| n % 40) {
        let mut name = String::new();
        for _ in 0..length {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            name.push_str(PIECES[usize::try_from(state % 24).unwrap()]);
        }
        let base = base_name(&name).into_owned();
        assert!(base.len() <= name.len() + 20, "{name}");
    }
    let start = Instant::now();
    for piece in PIECES {
        std::hint::black_box(base_name(&piece.repeat(100_000)));
    }
    let mixed = "<".repeat(100_000) + &")".repeat(100_000);
    std::hint::black_box(base_name(&mixed));
    std::hint::black_box(base_name(
        &("(".to_owned() + &"<".repeat(100_000) + &"]".repeat(100_000)),
    ));
    assert!(start.elapsed() < Duration::from_secs(5));
}
