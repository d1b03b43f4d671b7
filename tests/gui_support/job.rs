//! A small training job to look at: two ranks with a file each.

use std::path::{Path, PathBuf};

/// Many ranks of the same job.
pub fn big_job_in(folder: &Path) -> Vec<PathBuf> {
    (0..12).map(|rank| rank_in(folder, rank)).collect()
}

/// One rank with a kernel whose end cannot be right, and one whose kernels overlap deeply.
pub fn odd_job_in(folder: &Path) -> Vec<PathBuf> {
    let kernel = |name: &str, stream: u32, ts: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":{stream}}}}}"#
        )
    };
    let mut events: Vec<String> = (0..60)
        .map(|i| kernel("gemm", 7, 1_000 + i * 50, 40))
        .collect();
    events.push(kernel("gemm", 7, 1_995, 6_000));
    events.extend((0..40).map(|i| kernel("graph_node", 9, 1_000 + i * 40, 400)));
    let path = folder.join("odd.json");
    std::fs::write(
        &path,
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")),
    )
    .unwrap();
    vec![path]
}

/// Two ranks, four steps each: compute on stream 7, all-reduces on stream 20 that partly hide
/// behind it, copies on stream 21, host calls that launch them.
pub fn job_in(folder: &Path) -> Vec<PathBuf> {
    (0..2).map(|rank| rank_in(folder, rank)).collect()
}

fn rank_in(folder: &Path, rank: u32) -> PathBuf {
    let mut events = Vec::new();
    let mut correlation = 0;
    let kernels = [
        "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float)",
        "void at::native::layer_norm_kernel<float>(float*)",
        "flash_fwd_kernel",
        "fused_adam_kernel",
    ];
    let host = |events: &mut Vec<String>, ts: f64, dur: f64, id: u32, name: &str| {
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"{name}","pid":77,"tid":1,"ts":{ts:.3},"dur":{dur:.3},"args":{{"correlation":{id}}}}}"#
        ));
    };
    let base = 1_000.0;
    let mut random = u64::from(rank) + 9;
    let mut next = move || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(random >> 40).unwrap()) / f64::from(1_u32 << 24)
    };
    for step in 0..4_u32 {
        let begin = base + f64::from(step) * 4_000.0;
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":77,"tid":1,"ts":{begin:.3},"dur":3990}}"#
        ));
        let mut at = begin + 120.0;
        for i in 0..70_u32 {
            let name = kernels[usize::try_from(i % 5).unwrap()];
            let dur = 6.0 + next() * if i % 5 == 0 { 90.0 } else { 30.0 };
            correlation += 1;
            host(
                &mut events,
                begin + 5.0 + f64::from(i) * 20.0,
                6.0,
                correlation,
                "cudaLaunchKernel",
            );
            events.push(format!(
                r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{at:.3},"dur":{dur:.3},"args":{{"device":0,"stream":7,"correlation":{correlation}}}}}"#
            ));
            if i % 10 == 9 {
                let long = 150.0 + next() * 250.0;
                correlation += 1;
                host(
                    &mut events,
                    begin + 12.0 + f64::from(i) * 20.0,
                    4.0,
                    correlation,
                    "cudaLaunchKernel",
                );
                events.push(format!(
                    r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)","pid":0,"tid":20,"ts":{at:.3},"dur":{long:.3},"args":{{"device":0,"stream":20,"correlation":{correlation}}}}}"#
                ));
            }
            if i % 23 == 5 {
                correlation += 1;
                events.push(format!(
                    r#"{{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":21,"ts":{at:.3},"dur":30,"args":{{"device":0,"stream":21,"correlation":{correlation}}}}}"#
                ));
            }
            at += dur + if i % 14 == 13 { 120.0 } else { next() * 3.0 };
        }
    }
    let text = format!(
        r#"{{"distributedInfo":{{"rank":{rank},"world_size":2}},"deviceProperties":[{{"id":0,"name":"NVIDIA A100"}}],"traceEvents":[{}]}}"#,
        events.join(",\n")
    );
    let path = folder.join(format!("job_rank{rank}.json"));
    std::fs::write(&path, text).unwrap();
    path
}
