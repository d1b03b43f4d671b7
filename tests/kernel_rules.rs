//! Kernel classification on real names: every name of `tests/data/kernel_names.tsv` gets its class, and a user's rule
//! file does what its comments promise.
//!
//! The last column of the table tells where a name is from: `trace` is a recorded one, a library's name is a kernel of
//! that library, with `_composed` where only the identifier is from its source and the signature around it was filled
//! in, and `made_up` is a name that is meant to mislead.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as expected"
)]

use std::path::Path;

use overlane::classify::{
    BY_CATEGORY, BY_COLLECTIVE_NAME, BY_DEFAULT, Rules, RulesError, base_name,
};
use overlane::trace::class::{CollectiveKind, GpuKind, KernelClass};

const NAMES: &str = include_str!("data/kernel_names.tsv");

struct Row {
    class: KernelClass,
    kind: GpuKind,
    name: &'static str,
    origin: &'static str,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let fields: Vec<_> = line.split('\t').collect();
        let [class, kind, name, origin] = fields[..] else {
            panic!("not four fields: {line}");
        };
        let class = KernelClass::ALL.into_iter().find(|c| c.label() == class);
        let kind = match kind {
            "kernel" => GpuKind::Kernel,
            "memcpy" => GpuKind::Memcpy,
            "memset" => GpuKind::Memset,
            _ => panic!("no such kind: {line}"),
        };
        Row {
            class: class.unwrap_or_else(|| panic!("no such class: {line}")),
            kind,
            name,
            origin,
        }
    };
    NAMES.lines().skip(1).map(row).collect()
}

fn user(text: &str) -> Rules {
    Rules::with_user_file(Path::new("my.toml"), text).unwrap()
}

fn class(rules: &Rules, name: &str) -> KernelClass {
    rules.classify(GpuKind::Kernel, name, false).class
}

#[test]
fn every_real_name_gets_its_class() {
    let rules = Rules::builtin();
    let rows = rows();
    assert!(rows.len() >= 150, "only {} names", rows.len());
    let wrong: Vec<_> = rows
        .iter()
        .filter_map(|row| {
            let got = rules.classify(row.kind, row.name, false);
            (got.class != row.class).then(|| {
                let (want, is) = (row.class.label(), got.class.label());
                format!(
                    "{} ({}): {want}, is {is} by {}",
                    row.name, row.origin, got.rule
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_case_of_a_name_does_not_matter() {
    let rules = Rules::builtin();
    for row in rows().iter().filter(|row| !row.name.starts_with("_Z")) {
        for name in [row.name.to_uppercase(), row.name.to_lowercase()] {
            // `operator` and `decltype` are words of the language, so compute names may change shape; no class may.
            let got = rules.classify(row.kind, &name, false);
            assert_eq!(got.class, row.class, "{name} by {}", got.rule);
        }
    }
}

#[test]
fn every_built_in_communication_rule_has_a_real_name() {
    let rules = Rules::builtin();
    let used: Vec<_> = rows()
        .iter()
        .map(|row| {
            rules
                .classify(GpuKind::Kernel, row.name, false)
                .rule
                .to_owned()
        })
        .collect();
    // Known by their documentation only.
    let without = ["xla barriers", "uccl and mooncake"];
    for name in rules.names().filter(|name| !without.contains(name)) {
        assert!(
            used.iter().any(|rule| rule == name),
            "no name for rule \"{name}\""
        );
    }
}

#[test]
fn the_first_reason_decides() {
    let rules = Rules::builtin();
    let decide = |kind, name, has_collective| {
        let got = rules.classify(kind, name, has_collective);
        (got.class, got.rule.to_owned())
    };
    let memory = |rule: &str| (KernelClass::Memory, rule.to_owned());
    assert_eq!(
        decide(GpuKind::Memcpy, "ncclDevKernel_X", true),
        memory(BY_CATEGORY)
    );
    assert_eq!(
        decide(GpuKind::Kernel, "Memset (Device)", true),
        memory("copies and fills")
    );
    let named = decide(GpuKind::Kernel, "triton_poi_fused_add_0", true);
    assert_eq!(
        named,
        (KernelClass::Communication, BY_COLLECTIVE_NAME.to_owned())
    );
    let other = decide(GpuKind::Kernel, "gemm", false);
    assert_eq!(other, (KernelClass::Computation, BY_DEFAULT.to_owned()));
    let empty = decide(GpuKind::Kernel, "", false);
    assert_eq!(empty.0, KernelClass::Computation);
}

#[test]
fn a_user_rule_comes_before_the_category_and_the_collective_name() {
    let rules = user(
        "[[rule]]\nname = \"p2p\"\nclass = \"communication\"\nprefix = \"Memcpy PtoP\"\n\
         [[rule]]\nname = \"mine\"\nclass = \"computation\"\ncontains = [\"SPECIAL\", \"other\"]\n",
    );
    let copy = rules.classify(GpuKind::Memcpy, "Memcpy PtoP (Device -> Device)", false);
    assert_eq!((copy.class, copy.rule), (KernelClass::Communication, "p2p"));
    let plain = rules.classify(GpuKind::Memcpy, "Memcpy HtoD (Pageable -> Device)", false);
    assert_eq!(plain.class, KernelClass::Memory);
    let forced = rules.classify(GpuKind::Kernel, "ncclDevKernel_Special(int)", true);
    assert_eq!(
        (forced.class, forced.rule),
        (KernelClass::Computation, "mine")
    );
}

#[test]
fn a_user_rule_sees_the_base_name_unless_it_asks_for_the_full_one() {
    let name = "void ns::kernel<Secret>(Param)";
    let base = "[[rule]]\nname = \"a\"\nclass = \"memory\"\ncontains = \"secret\"\n";
    assert_eq!(class(&user(base), name), KernelClass::Computation);
    let full = format!("{base}on = \"full\"\n");
    assert_eq!(class(&user(&full), name), KernelClass::Memory);
    let regex = "[[rule]]\nname = \"a\"\nclass = \"memory\"\nregex = '^NS::k.*L$'\n";
    assert_eq!(class(&user(regex), name), KernelClass::Memory);
    let exact = "[[rule]]\nname = \"a\"\nclass = \"memory\"\nregex = '(?-i)^NS'\n";
    assert_eq!(class(&user(exact), name), KernelClass::Computation);
}

#[test]
fn a_built_in_rule_can_be_replaced_and_switched_off() {
    let replaced =
        user("[[rule]]\nname = \"deepep\"\nclass = \"communication\"\nprefix = \"my_ep::\"\n");
    assert_eq!(
        class(&replaced, "deep_ep::intranode::dispatch"),
        KernelClass::Computation
    );
    assert_eq!(
        class(&replaced, "my_ep::dispatch"),
        KernelClass::Communication
    );
    let off = user("[[rule]]\nname = \"userbuffers\"\nenabled = false\n");
    assert_eq!(
        class(&off, "kuserbuffers_inc(int*)"),
        KernelClass::Computation
    );
    let resting =
        user("[[rule]]\nname = \"x\"\nclass = \"memory\"\nprefix = \"x\"\nenabled = false\n");
    assert_eq!(class(&resting, "xyz"), KernelClass::Computation);
    let none = user("");
    assert!(none.names().eq(Rules::builtin().names()));
}

#[test]
fn a_bad_rule_file_is_answered_with_one_sentence() {
    let message = |text: &str| {
        let error: RulesError = Rules::with_user_file(Path::new("my.toml"), text).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("my.toml, line "), "{message}");
        assert!(
            !message.contains('\n') && !message.ends_with('.'),
            "{message}"
        );
        message
    };
    let rule = |fields: &str| message(&format!("# mine\n[[rule]]\nname = \"a\"\n{fields}"));
    for (said, wanted) in [
        (message("[[rule]\n"), "line 1"),
        (message("[[rules]]\nname = \"a\"\n"), "`rules`"),
        (message("[[rule]]\nclass = \"memory\"\n"), "`name`"),
        (
            rule("class = \"comm\"\nprefix = \"a\"\n"),
            "line 4: unknown variant `comm`",
        ),
        (
            rule("class = \"memory\"\nprefx = \"a\"\n"),
            "line 5: unknown field `prefx`",
        ),
        (
            rule("class = \"memory\"\nprefix = 3\n"),
            "a text or a list of texts",
        ),
        (rule("prefix = \"a\"\n"), "line 3: rule \"a\" has no class"),
        (
            rule("class = \"memory\"\n"),
            "line 3: rule \"a\" has 0 of prefix",
        ),
        (
            rule("class = \"memory\"\nprefix = \"a\"\nregex = 'b'\n"),
            "has 2 of prefix",
        ),
        (rule("class = \"memory\"\nprefix = []\n"), "empty pattern"),
        (
            rule("class = \"memory\"\ncontains = [\"a\", \"\"]\n"),
            "empty pattern",
        ),
        (
            rule("class = \"memory\"\nregex = '(a'\n"),
            "bad regex '(a' (unclosed group)",
        ),
        (
            rule("class = \"memory\"\nregex = '(a{999}){999}{999}'\n"),
            "bad regex",
        ),
        (
            rule("enabled = false\n"),
            "line 3: there is no built-in rule \"a\"",
        ),
        (
            message(
                "[[rule]]\nname = \"nccl and rccl\"\nenabled = false\n[[rule]]\nname = \"nccl and rccl\"\nenabled = false\n",
            ),
            "line 5: the rule name \"nccl and rccl\" is already taken",
        ),
        (
            message(&format!("[[rule]]\nname = \"{BY_DEFAULT}\"\n")),
            "already taken",
        ),
    ] {
        assert!(said.contains(wanted), "{said}\nshould say: {wanted}");
    }
}

#[test]
fn the_base_name_keeps_the_family_and_drops_the_rest() {
    for (name, base) in [
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(float*, int)",
            "at::native::(anonymous namespace)::CatArrayBatchedCopy",
        ),
        (
            "void at::native::<unnamed>::CatArrayBatchedCopy<float>(float *)",
            "at::native::<unnamed>::CatArrayBatchedCopy",
        ),
        (
            "void deep_ep::intranode::dispatch<(int)2, (int)768>(int4 *, float *)",
            "deep_ep::intranode::dispatch",
        ),
        (
            "Memcpy DtoD (Device -> Device)",
            "Memcpy DtoD (Device -> Device)",
        ),
        ("void f<&A::operator()>(int)", "f"),
        (
            "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvi",
            "aiter::reduce_scatter_cross_device_store",
        ),
    ] {
        assert_eq!(base_name(name), base, "{name}");
    }
    for row in rows() {
        let base = base_name(row.name).into_owned();
        assert!(
            !base.is_empty() && base.len() <= row.name.len() + 20,
            "{}",
            row.name
        );
        assert!(
            row.kind != GpuKind::Kernel || !base.contains(")("),
            "{base}"
        );
    }
}

#[test]
fn a_kernel_name_tells_its_collective_when_nothing_else_does() {
    for (name, kind) in [
        (
            "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            Some(CollectiveKind::ReduceScatter),
        ),
        (
            "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
            None,
        ),
        (
            "void vllm::cross_device_reduce_1stage<c10::BFloat16, 8>(vllm::RankData*)",
            Some(CollectiveKind::AllReduce),
        ),
        (
            "_ZN7deep_ep12internode_ll8dispatchILb1EEEvPv",
            Some(CollectiveKind::AllToAll),
        ),
    ] {
        assert_eq!(CollectiveKind::parse(&base_name(name)), kind, "{name}");
    }
}
