//! The kernels of the samples as an A100 (108 multiprocessors) would report them: name, launch shape, and the host
//! operator that launches them. Durations are not here: they belong to the schedule of each scenario.

/// A computation kernel and the operators around its launch.
#[derive(Clone, Copy)]
pub(crate) struct Compute {
    /// The outer host operator.
    pub(crate) op: &'static str,
    /// The operator inside it, which launches the kernel.
    pub(crate) inner: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) grid: [i64; 3],
    pub(crate) block: [i64; 3],
    pub(crate) registers: i64,
    pub(crate) shared_bytes: i64,
    pub(crate) occupancy_percent: i64,
    /// `Input Dims` of the operator, as JSON.
    pub(crate) dims: &'static str,
}

/// A collective: the kernel, and what the framework records about the call.
#[derive(Clone, Copy)]
pub(crate) struct Collective {
    pub(crate) op: &'static str,
    /// The annotation of the call on the host and on the stream.
    pub(crate) annotation: &'static str,
    pub(crate) name: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) dtype: &'static str,
    pub(crate) in_elements: i64,
    pub(crate) out_elements: i64,
}

/// A copy or a memset.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) op: &'static str,
    pub(crate) inner: &'static str,
    pub(crate) category: &'static str,
    pub(crate) name: &'static str,
    pub(crate) call: &'static str,
    pub(crate) call_id: i64,
    pub(crate) bytes: i64,
}

/// The commonest launch shape; what differs is written over it.
const fn compute(op: &'static str, inner: &'static str, kernel: &'static str) -> Compute {
    Compute {
        op,
        inner,
        kernel,
        grid: [1024, 1, 1],
        block: [256, 1, 1],
        registers: 32,
        shared_bytes: 0,
        occupancy_percent: 100,
        dims: "[[4, 1024, 1024]]",
    }
}

/// A matrix product on the tensor cores; `tiles` is its grid.
const fn gemm(
    op: &'static str,
    inner: &'static str,
    kernel: &'static str,
    tiles: [i64; 3],
    dims: &'static str,
) -> Compute {
    Compute {
        grid: tiles,
        block: [128, 1, 1],
        registers: 234,
        shared_bytes: 81_920,
        occupancy_percent: 13,
        dims,
        ..compute(op, inner, kernel)
    }
}

const GEMM_TN: &str = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn";
const GEMM_NN: &str = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn";
const GEMM_NT: &str = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nt";
const ADDMM_BACKWARD: &str = "autograd::engine::evaluate_function: AddmmBackward0";
const NORM_BACKWARD: &str = "autograd::engine::evaluate_function: NativeLayerNormBackward0";

pub(crate) const EMBEDDING: Compute = Compute {
    grid: [4096, 1, 1],
    block: [128, 1, 1],
    dims: "[[10240, 1024], [4, 1024], [], [], []]",
    ..compute(
        "aten::embedding",
        "aten::index_select",
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
    )
};
pub(crate) const LAYER_NORM: Compute = Compute {
    grid: [4096, 1, 1],
    block: [32, 4, 1],
    registers: 40,
    shared_bytes: 24,
    occupancy_percent: 75,
    dims: "[[4, 1024, 1024], [], [1024], [1024], []]",
    ..compute(
        "aten::layer_norm",
        "aten::native_layer_norm",
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
    )
};
pub(crate) const QKV: Compute = gemm(
    "aten::linear",
    "aten::addmm",
    GEMM_TN,
    [32, 24, 1],
    "[[3072], [4096, 1024], [1024, 3072], [], []]",
);
pub(crate) const FLASH: Compute = Compute {
    grid: [8, 4, 16],
    block: [128, 1, 1],
    registers: 255,
    shared_bytes: 65_536,
    occupancy_percent: 13,
    dims: "[[4, 1024, 16, 64], [4, 1024, 16, 64], [4, 1024, 16, 64]]",
    ..compute(
        "aten::scaled_dot_product_attention",
        "aten::_flash_attention_forward",
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false>(pytorch_flash::Flash_fwd_params)",
    )
};
pub(crate) const PROJECTION: Compute = gemm(
    "aten::linear",
    "aten::addmm",
    GEMM_TN,
    [32, 8, 1],
    "[[1024], [4096, 1024], [1024, 1024], [], []]",
);
pub(crate) const MLP_UP: Compute = gemm(
    "aten::linear",
    "aten::addmm",
    GEMM_TN,
    [32, 32, 1],
    "[[4096], [4096, 1024], [1024, 4096], [], []]",
);
pub(crate) const GELU: Compute = Compute {
    grid: [8192, 1, 1],
    block: [128, 1, 1],
    dims: "[[4, 1024, 4096], []]",
    ..compute(
        "aten::gelu",
        "aten::gelu",
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
    )
};
pub(crate) const MLP_DOWN: Compute = gemm(
    "aten::linear",
    "aten::addmm",
    GEMM_TN,
    [32, 8, 1],
    "[[1024], [4096, 4096], [4096, 1024], [], []]",
);
pub(crate) const HEAD: Compute = gemm(
    "aten::linear",
    "aten::mm",
    GEMM_TN,
    [32, 80, 1],
    "[[4096, 1024], [1024, 10240]]",
);
pub(crate) const LOG_SOFTMAX: Compute = Compute {
    grid: [4096, 1, 1],
    block: [1024, 1, 1],
    shared_bytes: 4096,
    dims: "[[4096, 10240], [], []]",
    ..compute(
        "aten::log_softmax",
        "aten::_log_softmax",
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, float, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, c10::BFloat16 const*, int)",
    )
};
pub(crate) const NLL_LOSS: Compute = Compute {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    occupancy_percent: 0,
    dims: "[[4096, 10240], [4096], [], [], []]",
    ..compute(
        "aten::nll_loss_nd",
        "aten::nll_loss_forward",
        "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)",
    )
};
pub(crate) const NLL_LOSS_BACKWARD: Compute = Compute {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    occupancy_percent: 0,
    dims: "[[], [4096, 10240], [4096], [], [], [], []]",
    ..compute(
        "autograd::engine::evaluate_function: NllLossBackward0",
        "NllLossBackward0",
        "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)",
    )
};
pub(crate) const LOG_SOFTMAX_BACKWARD: Compute = Compute {
    grid: [4096, 1, 1],
    block: [1024, 1, 1],
    shared_bytes: 4096,
    dims: "[[4096, 10240], [4096, 10240], [], []]",
    ..compute(
        "autograd::engine::evaluate_function: LogSoftmaxBackward0",
        "LogSoftmaxBackward0",
        "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, float const*, float const*, int)",
    )
};
/// Gradient of a linear layer's input.
pub(crate) const fn input_grad(tiles: [i64; 3], dims: &'static str) -> Compute {
    gemm(ADDMM_BACKWARD, "AddmmBackward0", GEMM_NN, tiles, dims)
}

/// Gradient of a linear layer's weight.
pub(crate) const fn weight_grad(tiles: [i64; 3], dims: &'static str) -> Compute {
    gemm(ADDMM_BACKWARD, "aten::mm", GEMM_NT, tiles, dims)
}

pub(crate) const LAYER_NORM_BACKWARD: Compute = Compute {
    grid: [4096, 1, 1],
    block: [128, 1, 1],
    registers: 48,
    shared_bytes: 1024,
    occupancy_percent: 62,
    dims: "[[4, 1024, 1024], [4, 1024, 1024], [], [], [], [1024], [1024], []]",
    ..compute(
        NORM_BACKWARD,
        "NativeLayerNormBackward0",
        "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)",
    )
};
pub(crate) const GELU_BACKWARD: Compute = Compute {
    grid: [8192, 1, 1],
    block: [128, 1, 1],
    dims: "[[4, 1024, 4096], [4, 1024, 4096]]",
    ..compute(
        "autograd::engine::evaluate_function: GeluBackward0",
        "GeluBackward0",
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul> >(int, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul>)",
    )
};
pub(crate) const FLASH_BACKWARD: Compute = Compute {
    grid: [8, 4, 16],
    block: [256, 1, 1],
    registers: 255,
    shared_bytes: 147_456,
    occupancy_percent: 13,
    dims: "[[4, 1024, 16, 64], [4, 1024, 16, 64], [4, 1024, 16, 64], [4, 1024, 16, 64]]",
    ..compute(
        "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0",
        "ScaledDotProductFlashAttentionBackward0",
        "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true>(pytorch_flash::Flash_bwd_params)",
    )
};
pub(crate) const EMBEDDING_BACKWARD: Compute = Compute {
    grid: [1024, 8, 1],
    block: [32, 4, 1],
    registers: 40,
    dims: "[[4, 1024, 1024], [4, 1024], [], [], []]",
    ..compute(
        "autograd::engine::evaluate_function: EmbeddingBackward0",
        "EmbeddingBackward0",
        "void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>(long const*, c10::BFloat16 const*, long const*, long const*, long, long, float*, long)",
    )
};
pub(crate) const GRADIENT_NORM: Compute = Compute {
    grid: [320, 1, 1],
    block: [512, 1, 1],
    dims: "[[[1024, 1024], [4096, 1024]], []]",
    ..compute(
        "aten::_foreach_norm",
        "aten::_foreach_norm",
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<c10::BFloat16, (at::native::NormType)1, float, 1, 1, 0>, float*, int>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<c10::BFloat16, (at::native::NormType)1, float, 1, 1, 0>, float*, int)",
    )
};
pub(crate) const GRADIENT_SCALE: Compute = Compute {
    grid: [320, 1, 1],
    block: [512, 1, 1],
    dims: "[[[1024, 1024], [4096, 1024]], []]",
    ..compute(
        "aten::_foreach_mul_",
        "aten::_foreach_mul_",
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<c10::BFloat16, 1, 1, 0>, std::multiplies<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<c10::BFloat16, 1, 1, 0>, std::multiplies<float>, float)",
    )
};
pub(crate) const ADAM: Compute = Compute {
    grid: [320, 1, 1],
    block: [512, 1, 1],
    registers: 56,
    occupancy_percent: 50,
    dims: "[[[1024, 1024], [4096, 1024]], [[1024, 1024], [4096, 1024]]]",
    ..compute(
        "aten::_fused_adamw_",
        "aten::_fused_adamw_",
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float const*, float const*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float const*, float const*)",
    )
};

/// An all-reduce of `elements` numbers.
pub(crate) const fn all_reduce(elements: i64) -> Collective {
    Collective {
        op: "c10d::allreduce_",
        annotation: "nccl:all_reduce",
        name: "allreduce",
        kernel: "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        dtype: "BFloat16",
        in_elements: elements,
        out_elements: elements,
    }
}

/// An all-gather of one shard of `elements` numbers from each of `group` ranks.
pub(crate) const fn all_gather(elements: i64, group: i64) -> Collective {
    Collective {
        op: "c10d::_allgather_base_",
        annotation: "nccl:_all_gather_base",
        name: "_allgather_base",
        kernel: "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        dtype: "BFloat16",
        in_elements: elements,
        out_elements: elements * group,
    }
}

/// A reduce-scatter that leaves one shard of `elements` numbers on each of `group` ranks.
pub(crate) const fn reduce_scatter(elements: i64, group: i64) -> Collective {
    Collective {
        op: "c10d::_reduce_scatter_base_",
        annotation: "nccl:_reduce_scatter_base",
        name: "_reduce_scatter_base",
        kernel: "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        dtype: "BFloat16",
        in_elements: elements * group,
        out_elements: elements,
    }
}

/// A broadcast of `elements` numbers from the first rank.
pub(crate) const fn broadcast(elements: i64) -> Collective {
    Collective {
        op: "c10d::broadcast_",
        annotation: "nccl:broadcast",
        name: "broadcast",
        kernel: "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        dtype: "BFloat16",
        in_elements: elements,
        out_elements: elements,
    }
}

impl Collective {
    /// The same of another type.
    pub(crate) const fn of(self, dtype: &'static str) -> Self {
        Self { dtype, ..self }
    }
}

const fn copy(op: &'static str, inner: &'static str, name: &'static str, bytes: i64) -> Memory {
    Memory {
        op,
        inner,
        category: "gpu_memcpy",
        name,
        call: "cudaMemcpyAsync",
        call_id: 41,
        bytes,
    }
}

pub(crate) const BATCH_TO_DEVICE: Memory = copy(
    "aten::to",
    "aten::copy_",
    "Memcpy HtoD (Pinned -> Device)",
    2_097_152,
);
pub(crate) const DEVICE_COPY: Memory = copy(
    "aten::copy_",
    "aten::copy_",
    "Memcpy DtoD (Device -> Device)",
    8_388_608,
);
pub(crate) const LOSS_TO_HOST: Memory = copy(
    "aten::item",
    "aten::_local_scalar_dense",
    "Memcpy DtoH (Device -> Pinned)",
    4,
);
pub(crate) const CLEAR_GRADIENTS: Memory = Memory {
    op: "aten::zero_",
    inner: "aten::fill_",
    category: "gpu_memset",
    name: "Memset (Device)",
    call: "cudaMemsetAsync",
    call_id: 51,
    bytes: 12_582_912,
};
