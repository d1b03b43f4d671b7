//! What the `cat` of an event means.

use crate::trace::Category;
use crate::trace::class::GpuKind;

/// A category, and for GPU work of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Gpu(GpuKind),
    Host(Category),
}

/// The kind of GPU work that a category means, if any.
pub(in crate::ingest) fn gpu_kind(cat: &str) -> Option<GpuKind> {
    match meaning(cat) {
        Meaning::Gpu(kind) => Some(kind),
        Meaning::Host(_) => None,
    }
}

/// Categories of Kineto of all ages and devices. Old files write capitals.
pub(super) fn meaning(cat: &str) -> Meaning {
    let lower = cat.to_ascii_lowercase();
    match lower.as_str() {
        "kernel" | "concurrent_kernel" | "mtia_ccp_events" => Meaning::Gpu(GpuKind::Kernel),
        "gpu_memcpy" | "memcpy" => Meaning::Gpu(GpuKind::Memcpy),
        "gpu_memset" | "memset" => Meaning::Gpu(GpuKind::Memset),
        "cuda_runtime"
        | "cuda_driver"
        | "runtime"
        | "hip_runtime"
        | "hip_driver"
        | "mtia_runtime"
        | "xpu_runtime"
        | "xpu_driver"
        | "glow_runtime"
        | "privateuse1_runtime"
        | "privateuse1_driver" => Meaning::Host(Category::Runtime),
        "cpu_op" | "operator" => Meaning::Host(Category::CpuOp),
        "user_annotation" | "nvtx" => Meaning::Host(Category::Annotation),
        "gpu_user_annotation" => Meaning::Host(Category::GpuAnnotation),
        "python_function" => Meaning::Host(Category::Python),
        "cuda_sync" => Meaning::Host(Category::Sync),
        "overhead" => Meaning::Host(Category::Overhead),
        "trace" => Meaning::Host(Category::ProfilerSpan),
        _ => Meaning::Host(Category::Other),
    }
}
