//! What a host call makes its thread wait for, told by its name.
//!
//! The lists are what CUDA, HIP, PyTorch and Python call such calls; a name that is on none of them
//! counts as work. They are kept apart from the rules that classify kernels, since those are about
//! what a GPU does.

use super::Category;

/// Why a thread stands still in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostWait {
    /// For the GPU or for other ranks: a synchronisation, a barrier, a collective that blocks.
    Sync,
    /// For a copy between host and device.
    Copy,
    /// For something that is neither: data, a lock, a file, another process.
    Other,
}

/// Copies of the runtimes; a call of one of these that is over at once blocked nobody.
const COPIES: [&str; 3] = ["cudamemcpy", "hipmemcpy", "cumemcpy"];
/// Collectives of libraries that run on the host and return when they are done.
const HOST_COLLECTIVES: [&str; 2] = ["gloo:", "mpi:"];
/// Waiting for a collective that was started earlier.
const WORK_WAITS: [&str; 2] = ["distributed_c10d.work", "c10d::wait"];
/// Pieces of names of calls that wait for data, locks or other processes.
const OTHER_WAITS: [&str; 13] = [
    "dataloader",
    "built-in method acquire of _thread",
    "method 'acquire' of '_thread",
    "built-in function sleep",
    "method 'poll' of 'select",
    "built-in method poll of select",
    "built-in method select",
    "connection.py: wait",
    "queues.py",
    "built-in method recv",
    "built-in function waitpid",
    "built-in method read of _io",
    "threading.py: wait",
];

/// What a call of this name makes its thread wait for; `None` for work.
#[must_use]
pub fn host_wait(category: Category, name: &str) -> Option<HostWait> {
    let name = without_line_number(&name.to_ascii_lowercase());
    let has = |pieces: &[&str]| pieces.iter().any(|piece| name.contains(piece));
    match category {
        Category::Runtime if name.contains("synchronize") => Some(HostWait::Sync),
        Category::Runtime if COPIES.iter().any(|copy| name.starts_with(copy)) => {
            Some(HostWait::Copy)
        }
        Category::CpuOp | Category::Annotation | Category::Python | Category::Other => {
            let starts = |with: &[&str]| with.iter().any(|piece| name.starts_with(piece));
            if has(&["barrier"]) || starts(&HOST_COLLECTIVES) || has(&WORK_WAITS) {
                Some(HostWait::Sync)
            } else {
                has(&OTHER_WAITS).then_some(HostWait::Other)
            }
        }
        _ => None,
    }
}

/// Python frames are written `file.py(12): function`; the number says nothing here.
fn without_line_number(name: &str) -> String {
    match (name.find(".py("), name.find("): ")) {
        (Some(open), Some(close)) if open < close => {
            let (file, function) = (&name[..open + 3], &name[close + 1..]);
            format!("{file}{function}")
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_by_their_names() {
        let told = |category, name| host_wait(category, name);
        let (sync, copy, other) = (
            Some(HostWait::Sync),
            Some(HostWait::Copy),
            Some(HostWait::Other),
        );
        for (category, name, wait) in [
            (Category::Runtime, "cudaStreamSynchronize", sync),
            (Category::Runtime, "hipDeviceSynchronize", sync),
            (Category::Runtime, "cuCtxSynchronize", sync),
            (Category::Runtime, "cudaMemcpyAsync", copy),
            (Category::Runtime, "cuMemcpyDtoHAsync_v2", copy),
            (Category::Runtime, "hipMemcpyWithStream", copy),
            (Category::Runtime, "cudaLaunchKernel", None),
            (Category::Runtime, "cudaStreamWaitEvent", None),
            (Category::CpuOp, "c10d::barrier", sync),
            (Category::Annotation, "gloo:all_reduce", sync),
            (Category::Annotation, "nccl:all_reduce", None),
            (Category::CpuOp, "aten::addmm", None),
            (
                Category::Annotation,
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                other,
            ),
            (
                Category::Python,
                "<built-in method acquire of _thread.lock object at 0x7f>",
                other,
            ),
            (
                Category::Python,
                "multiprocessing/connection.py(917): wait",
                other,
            ),
            (Category::Python, "threading.py(288): wait", other),
            (Category::Python, "train.py(12): step", None),
            (
                Category::Python,
                "torch/distributed/distributed_c10d.py(3678): barrier",
                sync,
            ),
            (Category::Gpu, "barrier_kernel", None),
        ] {
            assert_eq!(told(category, name), wait, "{name}");
        }
    }
}
