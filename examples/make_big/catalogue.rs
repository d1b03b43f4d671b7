//! Names and argument texts: about 480 names, some of them the very long ones that templates give.

use crate::text::Rng;

/// One CPU operator of a group: how deep it is nested, its name and how many tensors it takes.
pub(crate) type Item = (u8, &'static str, usize);

/// What a launch runs; each family has its own names and durations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Gemm,
    Elementwise,
    Reduce,
    Norm,
    Attention,
    Triton,
    Optimizer,
    CopyIn,
    CopyDevice,
    Clear,
}

/// A top-level operator, what it calls, and what it launches.
pub(crate) struct Group {
    pub(crate) python: &'static str,
    pub(crate) items: &'static [Item],
    /// The item that launches.
    pub(crate) launcher: usize,
    pub(crate) family: Family,
}

const fn group(
    python: &'static str,
    items: &'static [Item],
    launcher: usize,
    family: Family,
) -> Group {
    Group {
        python,
        items,
        launcher,
        family,
    }
}

/// Operators of the forward pass.
pub(crate) const FORWARD: &[Group] = &[
    group(
        "<built-in function linear>",
        &[
            (0, "aten::linear", 3),
            (1, "aten::t", 1),
            (2, "aten::transpose", 1),
            (3, "aten::as_strided", 1),
            (1, "aten::addmm", 3),
        ],
        4,
        Family::Gemm,
    ),
    group(
        "<built-in method matmul of type object at 0x7f3c5ac9f6c0>",
        &[
            (0, "aten::matmul", 2),
            (1, "aten::expand", 1),
            (2, "aten::as_strided", 1),
            (1, "aten::reshape", 1),
            (2, "aten::_reshape_alias", 1),
            (1, "aten::bmm", 2),
        ],
        5,
        Family::Gemm,
    ),
    group(
        "torch/nn/functional.py(2902): layer_norm",
        &[
            (0, "aten::layer_norm", 3),
            (1, "aten::native_layer_norm", 3),
            (2, "aten::empty", 0),
            (2, "aten::empty", 0),
            (2, "aten::empty", 0),
            (2, "aten::view", 1),
        ],
        1,
        Family::Norm,
    ),
    group(
        "<built-in function scaled_dot_product_attention>",
        &[
            (0, "aten::scaled_dot_product_attention", 3),
            (1, "aten::_scaled_dot_product_flash_attention", 3),
            (2, "aten::transpose", 1),
            (3, "aten::as_strided", 1),
            (2, "aten::_flash_attention_forward", 3),
            (3, "aten::empty_like", 1),
            (4, "aten::empty_strided", 0),
        ],
        4,
        Family::Attention,
    ),
    group(
        "<built-in function gelu>",
        &[(0, "aten::gelu", 1)],
        0,
        Family::Elementwise,
    ),
    group(
        "torch/_tensor.py(962): __add__",
        &[(0, "aten::add", 2), (1, "aten::empty", 0)],
        0,
        Family::Elementwise,
    ),
    group(
        "torch/nn/functional.py(1414): dropout",
        &[
            (0, "aten::dropout", 1),
            (1, "aten::native_dropout", 1),
            (2, "aten::empty_like", 1),
            (3, "aten::empty_strided", 0),
        ],
        1,
        Family::Elementwise,
    ),
    group(
        "<built-in method to of Tensor object at 0x7f3b1e0d4a90>",
        &[
            (0, "aten::to", 1),
            (1, "aten::_to_copy", 1),
            (2, "aten::empty_strided", 0),
            (2, "aten::copy_", 2),
        ],
        3,
        Family::Elementwise,
    ),
    group(
        "<built-in method cat of type object at 0x7f3c5ac9f6c0>",
        &[
            (0, "aten::cat", 2),
            (1, "aten::narrow", 1),
            (2, "aten::slice", 1),
            (3, "aten::as_strided", 1),
        ],
        0,
        Family::Elementwise,
    ),
    group(
        "torch/_inductor/output_code.py(466): __call__",
        &[
            (0, "Torch-Compiled Region: 3/0", 2),
            (1, "CompiledFunction", 2),
            (2, "aten::empty_strided", 0),
        ],
        1,
        Family::Triton,
    ),
    group(
        "torch/nn/functional.py(2140): softmax",
        &[
            (0, "aten::softmax", 1),
            (1, "aten::_softmax", 1),
            (2, "aten::empty_like", 1),
        ],
        1,
        Family::Norm,
    ),
    group(
        "<built-in method mean of Tensor object at 0x7f3b1e0d4a90>",
        &[
            (0, "aten::mean", 1),
            (1, "aten::empty", 0),
            (1, "aten::as_strided", 1),
        ],
        0,
        Family::Reduce,
    ),
    group(
        "torch/nn/functional.py(2546): embedding",
        &[
            (0, "aten::embedding", 2),
            (1, "aten::reshape", 1),
            (2, "aten::view", 1),
            (1, "aten::index_select", 2),
            (2, "aten::resize_", 1),
        ],
        3,
        Family::Elementwise,
    ),
    group(
        "<built-in method contiguous of Tensor object at 0x7f3b1e0d4a90>",
        &[
            (0, "aten::contiguous", 1),
            (1, "aten::clone", 1),
            (2, "aten::empty_like", 1),
            (2, "aten::copy_", 2),
        ],
        3,
        Family::CopyDevice,
    ),
];

/// Operators of the backward pass, on the autograd thread.
pub(crate) const BACKWARD: &[Group] = &[
    group(
        "",
        &[
            (0, "autograd::engine::evaluate_function: AddmmBackward0", 1),
            (1, "AddmmBackward0", 1),
            (2, "aten::t", 1),
            (3, "aten::transpose", 1),
            (4, "aten::as_strided", 1),
            (2, "aten::mm", 2),
        ],
        5,
        Family::Gemm,
    ),
    group(
        "",
        &[
            (0, "autograd::engine::evaluate_function: BmmBackward0", 1),
            (1, "BmmBackward0", 1),
            (2, "aten::transpose", 1),
            (3, "aten::as_strided", 1),
            (2, "aten::bmm", 2),
        ],
        4,
        Family::Gemm,
    ),
    group(
        "",
        &[
            (0, "autograd::engine::evaluate_function: AddBackward0", 2),
            (1, "AddBackward0", 2),
            (1, "aten::sum", 1),
            (2, "aten::as_strided", 1),
        ],
        2,
        Family::Reduce,
    ),
    group(
        "",
        &[
            (0, "autograd::engine::evaluate_function: GeluBackward0", 1),
            (1, "GeluBackward0", 1),
            (2, "aten::gelu_backward", 2),
        ],
        2,
        Family::Elementwise,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: NativeLayerNormBackward0",
                1,
            ),
            (1, "NativeLayerNormBackward0", 1),
            (2, "aten::native_layer_norm_backward", 3),
            (3, "aten::empty", 0),
        ],
        2,
        Family::Norm,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0",
                1,
            ),
            (1, "ScaledDotProductFlashAttentionBackward0", 1),
            (2, "aten::_flash_attention_backward", 3),
            (3, "aten::empty_like", 1),
            (4, "aten::empty_strided", 0),
        ],
        2,
        Family::Attention,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: NativeDropoutBackward0",
                1,
            ),
            (1, "NativeDropoutBackward0", 1),
            (2, "aten::native_dropout_backward", 2),
        ],
        2,
        Family::Elementwise,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                1,
            ),
            (1, "torch::autograd::AccumulateGrad", 1),
            (2, "aten::add_", 2),
        ],
        2,
        Family::Elementwise,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: CompiledFunctionBackward",
                2,
            ),
            (1, "CompiledFunctionBackward", 2),
            (2, "aten::empty_strided", 0),
        ],
        1,
        Family::Triton,
    ),
    group(
        "",
        &[
            (0, "autograd::engine::evaluate_function: ToCopyBackward0", 1),
            (1, "ToCopyBackward0", 1),
            (2, "aten::to", 1),
            (3, "aten::_to_copy", 1),
            (4, "aten::copy_", 2),
        ],
        4,
        Family::Elementwise,
    ),
    group(
        "",
        &[
            (
                0,
                "autograd::engine::evaluate_function: EmbeddingBackward0",
                1,
            ),
            (1, "EmbeddingBackward0", 1),
            (2, "aten::embedding_dense_backward", 2),
            (3, "aten::zero_", 1),
        ],
        3,
        Family::Clear,
    ),
];

/// Operators of the optimizer.
pub(crate) const OPTIMIZER: &[Group] = &[
    group("", &[(0, "aten::_foreach_lerp_", 3)], 0, Family::Optimizer),
    group("", &[(0, "aten::_foreach_mul_", 2)], 0, Family::Optimizer),
    group(
        "",
        &[(0, "aten::_foreach_addcdiv_", 3)],
        0,
        Family::Optimizer,
    ),
    group(
        "",
        &[
            (0, "aten::_fused_adamw_", 3),
            (1, "aten::empty_like", 1),
            (2, "aten::empty_strided", 0),
        ],
        0,
        Family::Optimizer,
    ),
    group(
        "",
        &[(0, "aten::zero_", 1), (1, "aten::fill_", 1)],
        0,
        Family::Clear,
    ),
    group(
        "",
        &[
            (0, "aten::linalg_vector_norm", 1),
            (1, "aten::as_strided", 1),
        ],
        0,
        Family::Reduce,
    ),
];

/// The batch coming in at the start of a step.
pub(crate) const BATCH: Group = group(
    "torch/utils/data/_utils/pin_memory.py(98): to_device",
    &[
        (0, "aten::to", 1),
        (1, "aten::_to_copy", 1),
        (2, "aten::empty_strided", 0),
        (2, "aten::copy_", 2),
    ],
    3,
    Family::CopyIn,
);

/// Runtime calls beside a launch, with CUPTI's number for each.
pub(crate) const SIDE_CALLS: &[(&str, u64)] = &[
    ("cudaFuncGetAttributes", 15),
    (
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        251,
    ),
    ("cudaStreamIsCapturing", 317),
    ("cudaEventRecord", 135),
    ("cudaEventQuery", 136),
    ("cudaStreamGetCaptureInfo_v2", 412),
];

/// A collective: annotation, operator, kernel, the name in its args, whether the backward pass calls it.
pub(crate) type Collective = (&'static str, &'static str, &'static str, &'static str, bool);

pub(crate) const COLLECTIVES: &[Collective] = &[
    (
        "nccl:_all_gather_base",
        "c10d::_allgather_base_",
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "_allgather_base",
        false,
    ),
    (
        "nccl:all_reduce",
        "c10d::allreduce_",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "allreduce",
        true,
    ),
    (
        "nccl:_reduce_scatter_base",
        "c10d::_reduce_scatter_base_",
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "_reduce_scatter_base",
        true,
    ),
];

/// A kernel: its name and the figures that go with its code.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) registers: u64,
    pub(crate) shared: u64,
    pub(crate) block: u64,
    pub(crate) occupancy: u64,
}

/// Everything that is built once and then only copied.
pub(crate) struct Catalogue {
    gemm: Vec<Kernel>,
    elementwise: Vec<Kernel>,
    reduce: Vec<Kernel>,
    norm: Vec<Kernel>,
    attention: Vec<Kernel>,
    triton: Vec<Kernel>,
    optimizer: Vec<Kernel>,
    /// Modules of the Python side, as the profiler names them.
    pub(crate) modules: Vec<String>,
    /// Texts of "Concrete Inputs" to "Input Dims" for no, one, two and three tensors.
    inputs: [Vec<String>; 4],
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        let mut rng = Rng::new(7);
        let inputs =
            [0, 1, 2, 3].map(|tensors| (0..64).map(|_| inputs_text(&mut rng, tensors)).collect());
        let mut kernels = |names: Vec<String>| {
            names
                .into_iter()
                .map(|name| kernel(&mut rng, name))
                .collect()
        };
        Self {
            gemm: kernels(gemm_names()),
            elementwise: kernels(elementwise_names()),
            reduce: kernels(reduce_names()),
            norm: kernels(norm_names()),
            attention: kernels(attention_names()),
            triton: kernels(triton_names()),
            optimizer: kernels(optimizer_names()),
            modules: (0..32)
                .flat_map(|n| {
                    [
                        format!("nn.Module: TransformerEncoderLayer_{n}"),
                        format!("nn.Module: FeedForward_{n}"),
                    ]
                })
                .collect(),
            inputs,
        }
    }

    /// The kernels of a family with the range of their durations in nanoseconds; none for copies.
    pub(crate) fn kernels(&self, family: Family) -> Option<(&[Kernel], u64, u64)> {
        match family {
            Family::Gemm => Some((&self.gemm, 9_000, 130_000)),
            Family::Elementwise => Some((&self.elementwise, 1_500, 40_000)),
            Family::Reduce => Some((&self.reduce, 2_200, 30_000)),
            Family::Norm => Some((&self.norm, 3_000, 36_000)),
            Family::Attention => Some((&self.attention, 30_000, 190_000)),
            Family::Triton => Some((&self.triton, 2_000, 45_000)),
            Family::Optimizer => Some((&self.optimizer, 12_000, 90_000)),
            Family::CopyIn | Family::CopyDevice | Family::Clear => None,
        }
    }

    /// One of the argument texts for so many tensors.
    pub(crate) fn inputs(&self, rng: &mut Rng, tensors: usize) -> &str {
        let [none, ..] = &self.inputs;
        rng.pick::<String>(self.inputs.get(tensors).unwrap_or(none))
    }
}

fn kernel(rng: &mut Rng, name: String) -> Kernel {
    Kernel {
        name,
        registers: 16 + 8 * rng.skewed(0, 30),
        shared: if rng.percent(40) {
            0
        } else {
            16 * rng.skewed(1, 14_000)
        },
        block: 64 << rng.below(4),
        occupancy: rng.below(101),
    }
}

fn inputs_text(rng: &mut Rng, tensors: usize) -> String {
    const SIZES: &[u64] = &[1, 8, 16, 64, 128, 512, 768, 1024, 3072, 4096, 50_257];
    if tensors == 0 {
        let size = rng.pick(SIZES);
        return format!(
            "\"Concrete Inputs\": [\"[{size}]\", \"15\", \"0\", \"\", \"False\", \"\"], \"Input type\": [\"ScalarList\", \"Scalar\", \"Scalar\", \"\", \"Scalar\", \"\"], \"Input Strides\": [[], [], [], [], [], []], \"Input Dims\": [[], [], [], [], [], []]"
        );
    }
    let [mut concrete, mut types, mut strides, mut dims] = [const { Vec::new() }; 4];
    for _ in 0..tensors {
        let (a, b) = (rng.pick(SIZES), rng.pick(SIZES));
        concrete.push("\"\"".to_owned());
        let kinds = ["c10::BFloat16", "c10::BFloat16", "float", "long int"];
        types.push(format!("\"{}\"", rng.pick(&kinds)));
        strides.push(format!("[{}, {}, {b}, 1]", 12 * a * b, a * b));
        dims.push(format!("[8, 12, {a}, {b}]"));
    }
    let [concrete, types, strides, dims] = [concrete, types, strides, dims].map(|l| l.join(", "));
    format!(
        "\"Concrete Inputs\": [{concrete}], \"Input type\": [{types}], \"Input Strides\": [{strides}], \"Input Dims\": [{dims}]"
    )
}

/// Every combination of the words, each put into the form's places one after the other.
fn combine(form: &str, places: &[&[&str]]) -> Vec<String> {
    let mut all = vec![form.to_owned()];
    for (at, words) in places.iter().enumerate() {
        let place = format!("@{at}");
        all = all
            .iter()
            .flat_map(|form| {
                words
                    .iter()
                    .map(|word| form.replace(&place, word))
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

fn gemm_names() -> Vec<String> {
    let layouts: &[&str] = &["tn", "nn", "nt"];
    let tiles: &[&str] = &["128x128x64", "128x256x64", "64x128x64", "256x128x64"];
    let small: &[&str] = &["128x128", "256x64", "64x64", "128x64"];
    let mut names = combine(
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_@0_n_tilesize@1_warpgroupsize@2x1x1_execute_segment_k_off_kernel__5x_cublas",
        &[layouts, tiles, &["1", "2"]],
    );
    names.extend(combine(
        "nvjet_tst_@0_64x@1_1x2_h_bz_coopA_@2",
        &[small, &["4", "5"], &["TNT", "NNT", "NTN"]],
    ));
    names.extend(combine(
        "ampere_bf16_s16816gemm_bf16_@0_ldg8_f2f_stages_64x@1_@2",
        &[small, &["3", "4"], layouts],
    ));
    names.extend(combine("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_@0_32x@1_@2_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_@0_32x@1_@2_align8::Params)", &[small, &["5", "6"], layouts]));
    names
}

fn elementwise_names() -> Vec<String> {
    let functors: &[&str] = &[
        "CUDAFunctor_add<@1>",
        "BinaryFunctor<@1, @1, @1, at::native::binary_internal::MulFunctor<float> >",
        "AUnaryFunctor<@1, @1, @1, at::native::binary_internal::MulFunctor<float> >",
        "FillFunctor<@1>",
        "CUDAFunctorOnSelf_add<@1>",
        "BUnaryFunctor<@1, @1, bool, at::native::(anonymous namespace)::CompareFunctor<@1> >",
        "(anonymous namespace)::where_kernel_impl(at::TensorIterator&)::{lambda()#1}::operator()() const::{lambda()#13}::operator()() const::{lambda(bool, @1, @1)#1}",
        "GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(@1)#1}",
    ];
    let types: &[&str] = &["c10::BFloat16", "float", "c10::Half"];
    let mut names = combine(
        "void at::native::vectorized_elementwise_kernel<@2, at::native::@0, std::array<char*, 3ul> >(int, at::native::@0, std::array<char*, 3ul>)",
        &[functors, types, &["4", "8"]],
    );
    names.extend(combine("void at::native::elementwise_kernel<128, @2, at::native::gpu_kernel_impl_nocast<at::native::@0 >(at::TensorIteratorBase&, at::native::@0 const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::@0 >(at::TensorIteratorBase&, at::native::@0 const&)::{lambda(int)#1})", &[functors, types, &["2", "4"]]));
    names
}

fn reduce_names() -> Vec<String> {
    combine(
        "void at::native::reduce_kernel<@0, @1, at::native::ReduceOp<@2, at::native::func_wrapper_t<@2, @3<@2, float, @2>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, @2, 4> >(at::native::ReduceOp<@2, at::native::func_wrapper_t<@2, @3<@2, float, @2>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, @2, 4>)",
        &[
            &["512", "128"],
            &["1", "4"],
            &["c10::BFloat16", "float"],
            &[
                "at::native::sum_functor",
                "at::native::MeanOps",
                "at::native::NormTwoOps",
                "at::native::MaxNanFunctor",
            ],
        ],
    )
}

fn norm_names() -> Vec<String> {
    let types: &[&str] = &["c10::BFloat16", "float", "c10::Half"];
    let mut names = combine(
        "void at::native::(anonymous namespace)::@0<@1, float>(int, float, @1 const*, @1 const*, @1 const*, float*, float*, @1*)",
        &[
            &[
                "vectorized_layer_norm_kernel",
                "GammaBetaBackwardCUDAKernelTemplate",
                "layer_norm_grad_input_kernel_vectorized",
                "RowwiseMomentsCUDAKernel",
            ],
            types,
        ],
    );
    names.extend(combine("void (anonymous namespace)::@0<@2, @1, float, @1, 9>(@1*, @1 const*, int, int, int, bool const*, int, bool)", &[&["softmax_warp_forward", "softmax_warp_backward"], types, &["9", "10"]]));
    names
}

fn attention_names() -> Vec<String> {
    combine(
        "void pytorch_flash::@0<pytorch_flash::Flash_fwd_kernel_traits<@1, 128, @2, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<@1, 128, @2, 4, cutlass::bfloat16_t> >, true, @3, false, false, @3, true, false>(pytorch_flash::Flash_fwd_params)",
        &[
            &[
                "flash_fwd_kernel",
                "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
            ],
            &["64", "128"],
            &["64", "32"],
            &["true", "false"],
        ],
    )
}

fn triton_names() -> Vec<String> {
    combine(
        "triton_@0_fused_@1_@2",
        &[
            &["poi", "red", "per"],
            &[
                "add_mul",
                "_to_copy_add_native_layer_norm",
                "gelu_gelu_backward_view",
                "_softmax_backward_data_div_masked_fill",
            ],
            &["0", "1", "4", "17"],
        ],
    )
}

fn optimizer_names() -> Vec<String> {
    combine(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::@0<@1>, at::native::(anonymous namespace)::@2<@1, @1, 2, 1, 1> >(at::native::(anonymous namespace)::@0<@1>, at::native::(anonymous namespace)::@2<@1, @1, 2, 1, 1>, std::multiplies<@1>, @1)",
        &[
            &["TensorListMetadata", "FusedOptimizerTensorListMetadata"],
            &["float", "c10::BFloat16"],
            &[
                "BinaryOpScalarFunctor",
                "PointwiseOpListFunctor",
                "TernaryOpListFunctor",
            ],
        ],
    )
}
