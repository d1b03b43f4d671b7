//! The FLOPs of an op from the shapes of its inputs, or that they do not tell it. Nothing is guessed.
//!
//! A multiply and an add are two FLOPs, so a product of `m × k` with `k × n` has `2·m·k·n`. Only what
//! the shapes alone determine is told; formulas and limits stand in `docs/overlap.md`.

/// What the shapes of an op's inputs tell of its FLOPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flops {
    /// Exactly these, for the full product.
    Known(u128),
    /// A product, a convolution or attention whose FLOPs the shapes do not tell.
    Untold,
}

/// What an op computes, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `m × k` by `k × n`, of which the first stands at this place among the inputs.
    Product(usize),
    /// The same for each of a batch.
    Batched(usize),
    /// `… × k` by the transpose of `n × k`.
    Linear,
    /// Two shapes that are multiplied as `Product` or `Batched` are.
    Matmul,
    /// Attention.
    Attention(Attention),
    /// Convolutions and others that need more than shapes.
    Refused,
}

/// How the inputs of an op of attention are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attention {
    /// Place of the query; key and value follow.
    query: usize,
    /// Whether the heads stand before the sequence.
    heads_first: bool,
    /// Place of the cumulative lengths that sequences of different length have.
    lengths: Option<usize>,
    /// Whether it is the backward pass.
    backward: bool,
}

impl Attention {
    const fn laid(query: usize, heads_first: bool, lengths: Option<usize>) -> Kind {
        Kind::Attention(Self {
            query,
            heads_first,
            lengths,
            backward: query > 0,
        })
    }
}

fn kind(op: &str) -> Option<Kind> {
    let name = op.strip_prefix("aten::")?;
    Some(match name {
        "mm" => Kind::Product(0),
        "addmm" => Kind::Product(1),
        "bmm" => Kind::Batched(0),
        "baddbmm" => Kind::Batched(1),
        "linear" => Kind::Linear,
        "matmul" => Kind::Matmul,
        "_scaled_dot_product_flash_attention" | "_scaled_dot_product_efficient_attention" => {
            Attention::laid(0, true, None)
        }
        "_scaled_dot_product_flash_attention_backward"
        | "_scaled_dot_product_efficient_attention_backward" => Attention::laid(1, true, None),
        "_flash_attention_forward" => Attention::laid(0, false, Some(3)),
        "_efficient_attention_forward" => Attention::laid(0, false, Some(4)),
        "_flash_attention_backward" | "_efficient_attention_backward" => {
            Attention::laid(1, false, Some(6))
        }
        "mv" | "addmv" | "dot" | "vdot" | "addbmm" | "_scaled_mm" | "_addmm_activation"
        | "_grouped_mm" | "_scaled_grouped_mm" | "_int_mm" => Kind::Refused,
        _ if name.contains("convolution")
            || name.contains("conv_depthwise")
            || name.contains("slow_conv")
            || name.contains("mkldnn_linear")
            || name.contains("_attention") =>
        {
            Kind::Refused
        }
        _ => return None,
    })
}

/// Whether an op is attention, whose mask the shapes do not tell.
pub(super) fn is_attention(op: &str) -> bool {
    matches!(kind(op), Some(Kind::Attention(_)))
}

/// Whether an op is a product, a convolution or attention.
pub(super) fn is_product(op: &str) -> bool {
    kind(op).is_some()
}

/// The FLOPs of an op from its name and the text of its `Input Dims`; `None` for an op that is no
/// product, convolution or attention.
#[must_use]
pub fn flops(op: &str, dims: Option<&str>) -> Option<Flops> {
    let kind = kind(op)?;
    let known = dims.and_then(inputs).and_then(|of| known(kind, &of));
    Some(known.map_or(Flops::Untold, Flops::Known))
}

fn known(kind: Kind, of: &[Input]) -> Option<u128> {
    let pair = |at: usize| Some((shape(of, at)?, shape(of, at + 1)?));
    match kind {
        Kind::Product(at) => {
            let (left, right) = pair(at)?;
            product(left, right)
        }
        Kind::Batched(at) => {
            let (left, right) = pair(at)?;
            (left.len() == 3).then(|| batched(left, right))?
        }
        Kind::Linear => {
            let (left, weight) = pair(0)?;
            let ([rows @ .., k], [n, same]) = (left, weight) else {
                return None;
            };
            (k == same).then(|| twice(rows.iter().chain([k, n])))?
        }
        Kind::Matmul => {
            let (left, right) = pair(0)?;
            match (left.len(), right.len()) {
                (2, 2) => product(left, right),
                (a, b) if a == b && a > 2 => batched(left, right),
                _ => None,
            }
        }
        Kind::Attention(inputs) => attention(inputs, of),
        Kind::Refused => None,
    }
}

fn product(left: &[u64], right: &[u64]) -> Option<u128> {
    let ([m, k], [same, n]) = (left, right) else {
        return None;
    };
    (k == same).then(|| twice([m, k, n].into_iter()))?
}

/// A product for each of a batch of the same size on both sides.
fn batched(left: &[u64], right: &[u64]) -> Option<u128> {
    let ([batch @ .., m, k], [others @ .., same, n]) = (left, right) else {
        return None;
    };
    (batch == others && k == same).then(|| twice(batch.iter().chain([m, k, n])))?
}

fn twice<'n>(mut sizes: impl Iterator<Item = &'n u64>) -> Option<u128> {
    sizes.try_fold(2_u128, |all, size| all.checked_mul(u128::from(*size)))
}

/// Both products of attention, all of them without a mask. Backward: the first again, and two of the
/// gradients of each.
fn attention(laid: Attention, of: &[Input]) -> Option<u128> {
    let four = |at: usize| -> Option<[u64; 4]> {
        let [batch, a, b, depth] = *shape(of, at)? else {
            return None;
        };
        let (heads, length) = if laid.heads_first { (a, b) } else { (b, a) };
        Some([batch, heads, length, depth])
    };
    // With cumulative lengths the shapes only tell the sum or the longest.
    if laid.lengths.is_some_and(|at| is_given(of, at)) {
        return None;
    }
    let [batch, heads, queries, depth] = four(laid.query)?;
    let [of_keys, key_heads, keys, key_depth] = four(laid.query + 1)?;
    let [of_values, value_heads, values, value_depth] = four(laid.query + 2)?;
    let fits = batch == of_keys
        && batch == of_values
        && key_heads == value_heads
        && heads.checked_rem(key_heads) == Some(0)
        && keys == values
        && depth == key_depth;
    let (first, second) = if laid.backward { (3, 2) } else { (1, 1) };
    let depths = u128::from(depth) * first + u128::from(value_depth) * second;
    let scores = twice([batch, heads, queries, keys].iter())?;
    fits.then(|| scores.checked_mul(depths))?
}

/// One input of an op.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Input {
    /// A tensor's shape; empty for a number, or where nothing was given.
    Shape(Vec<u64>),
    /// A list of tensors, or what is not understood.
    Other,
}

fn shape(of: &[Input], at: usize) -> Option<&[u64]> {
    match of.get(at)? {
        Input::Shape(sizes) => Some(sizes),
        Input::Other => None,
    }
}

fn is_given(of: &[Input], at: usize) -> bool {
    // An input that is not listed cannot be ruled out.
    of.get(at) != Some(&Input::Shape(Vec::new()))
}

/// The inputs of a text such as `[[4096, 1024], [], [[2], [3]]]`; `None` where it is no such list.
fn inputs(text: &str) -> Option<Vec<Input>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, sign) in inner.char_indices() {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(input(inner.get(start..at)?));
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth != 0 {
        return None;
    }
    if !inner.trim().is_empty() {
        found.push(input(inner.get(start..)?));
    }
    Some(found)
}

fn input(text: &str) -> Input {
    let sizes = || -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
        if inner.is_empty() {
            return Some(Vec::new());
        }
        inner.split(',').map(|n| n.trim().parse().ok()).collect()
    };
    sizes().map_or(Input::Other, Input::Shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(op: &str, dims: &str) -> Option<u128> {
        match flops(op, Some(dims)) {
            Some(Flops::Known(flops)) => Some(flops),
            _ => None,
        }
    }

    #[test]
    fn products_are_twice_the_product_of_their_sizes() {
        for (op, dims, wanted) in [
            (
                "aten::addmm",
                "[[4096],[4096,1024],[1024,4096],[],[]]",
                // 2 · 4096 · 1024 · 4096
                34_359_738_368,
            ),
            ("aten::mm", "[[2, 3], [3, 5]]", 60),
            ("aten::bmm", "[[7, 2, 3], [7, 3, 5]]", 420),
            ("aten::baddbmm", "[[1], [7, 2, 3], [7, 3, 5], [], []]", 420),
            ("aten::linear", "[[4, 6, 3], [5, 3], [5]]", 720),
            ("aten::matmul", "[[2, 3], [3, 5]]", 60),
            ("aten::matmul", "[[4, 7, 2, 3], [4, 7, 3, 5]]", 1_680),
            ("aten::mm", "[[0, 3], [3, 5]]", 0),
        ] {
            assert_eq!(known(op, dims), Some(wanted), "{op} {dims}");
        }
    }

    #[test]
    fn attention_has_two_products_and_five_backward() {
        // 4 · B · H · Sq · Sk · D with B 2, H 3, Sq 5, Sk 7, D 11
        let forward = 4 * 2 * 3 * 5 * 7 * 11;
        let heads_first = "[2,3,5,11],[2,3,7,11],[2,3,7,11]";
        let heads_last = "[2,5,3,11],[2,7,3,11],[2,7,3,11]";
        for (op, dims, wanted) in [
            (
                "aten::_scaled_dot_product_flash_attention",
                format!("[{heads_first},[],[],[]]"),
                forward,
            ),
            (
                "aten::_scaled_dot_product_efficient_attention",
                format!("[{heads_first},[],[],[]]"),
                forward,
            ),
            (
                "aten::_flash_attention_forward",
                format!("[{heads_last},[],[],[],[]]"),
                forward,
            ),
            (
                "aten::_scaled_dot_product_flash_attention_backward",
                format!("[[2,3,5,11],{heads_first},[2,3,5,11],[]]"),
                forward * 5 / 2,
            ),
            (
                "aten::_flash_attention_backward",
                format!("[[2,5,3,11],{heads_last},[2,5,3,11],[2,3,5],[],[]]"),
                forward * 5 / 2,
            ),
        ] {
            assert_eq!(known(op, &dims), Some(wanted), "{op} {dims}");
            assert!(is_attention(op));
        }
        // Keys and values of fewer heads are shared; values of another depth count with theirs.
        assert_eq!(
            known(
                "aten::_scaled_dot_product_flash_attention",
                "[[1,4,2,8],[1,2,3,8],[1,2,3,5]]"
            ),
            Some(2 * 4 * 2 * 3 * (8 + 5))
        );
    }

    #[test]
    fn what_the_shapes_do_not_tell_is_not_guessed() {
        for (op, dims) in [
            ("aten::mm", "[[2, 3], [4, 5]]"),
            ("aten::mm", "[[2, 3]]"),
            ("aten::mm", "[]"),
            ("aten::mm", ""),
            ("aten::mm", "[[2, x], [3, 5]]"),
            ("aten::mm", "[[2, -3], [-3, 5]]"),
            ("aten::mm", "[[2, 3], [3, 5]"),
            ("aten::mm", "[[2, 3], [[3, 5]]]"),
            ("aten::bmm", "[[7, 2, 3], [8, 3, 5]]"),
            ("aten::bmm", "[[2, 3], [3, 5]]"),
            ("aten::matmul", "[[7, 2, 3], [3, 5]]"),
            ("aten::matmul", "[[3], [3]]"),
            ("aten::linear", "[[4, 3], [5, 4], []]"),
            (
                "aten::mm",
                "[[18446744073709551615,18446744073709551615],[18446744073709551615,2]]",
            ),
            ("aten::cudnn_convolution", "[[8,3,32,32],[16,3,3,3],[]]"),
            ("aten::convolution_backward", "[[8,3,32,32],[16,3,3,3],[]]"),
            // Sequences of different length; and their lengths unknown.
            (
                "aten::_flash_attention_forward",
                "[[1,5,3,11],[1,7,3,11],[1,7,3,11],[3],[3],[],[]]",
            ),
            (
                "aten::_flash_attention_forward",
                "[[1,5,3,11],[1,7,3,11],[1,7,3,11]]",
            ),
            (
                "aten::_scaled_dot_product_flash_attention",
                "[[1,3,5,11],[1,2,7,11],[1,2,7,11]]",
            ),
            (
                "aten::_scaled_dot_product_flash_attention",
                "[[1,3,5,11],[1,0,7,11],[1,0,7,11]]",
            ),
        ] {
            assert_eq!(flops(op, Some(dims)), Some(Flops::Untold), "{op} {dims}");
        }
        assert_eq!(flops("aten::mm", None), Some(Flops::Untold));
    }

    #[test]
    fn other_ops_are_no_products() {
        for op in ["aten::gelu", "aten::add", "mm", "c10d::allreduce_", ""] {
            assert_eq!(flops(op, Some("[[2, 3], [3, 5]]")), None, "{op}");
        }
    }
}
