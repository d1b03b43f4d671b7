//! What each stream and device was busy with: built from the kernels, once for each clipping.

use super::partial::{Stop, go_on};
use super::to_usize;
use crate::time::{Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::rank::Suspicious;
use crate::trace::{Activity, Device, Slices};
use rayon::prelude::*;
use std::ops::Range;

type Kernel = (Ns, Ns, KernelClass);

/// Builds the activity of every stream and device, and the clipped ones where they differ.
pub(super) fn build(
    devices: &mut [Device],
    slices: &Slices,
    suspicious: &[Suspicious],
    stop: Stop<'_>,
) -> Option<()> {
    devices.par_iter_mut().try_for_each(|device| {
        let mut all: Vec<Kernel> = Vec::new();
        let mut all_clipped: Vec<Kernel> = Vec::new();
        let built: Vec<(Vec<Kernel>, Option<Vec<Kernel>>)> = device
            .streams
            .par_iter_mut()
            .map(|stream| {
                go_on(stop)?;
                let kernels: Vec<Kernel> = slices
                    .range(stream.slices.clone())
                    .filter_map(|s| Some((s.start(), s.end(), s.class()?)))
                    .collect();
                let clipped = clip(&kernels, &stream.slices, suspicious);
                stream.activity = Activity::new(&kernels);
                stream.clipped = clipped.as_deref().map(Activity::new);
                Some((kernels, clipped))
            })
            .collect::<Option<_>>()?;
        go_on(stop)?;
        let any_clipped = built.iter().any(|b| b.1.is_some());
        for (kernels, clipped) in &built {
            if any_clipped {
                all_clipped.extend(clipped.as_ref().unwrap_or(kernels));
            }
            all.extend(kernels);
        }
        device.extent = hull(&all).unwrap_or_default();
        device.clipped_extent = hull(&all_clipped);
        device.activity = Activity::new(&all);
        device.clipped = any_clipped.then(|| Activity::new(&all_clipped));
        Some(())
    })
}

/// First start to last end.
fn hull(kernels: &[Kernel]) -> Option<Window> {
    kernels
        .iter()
        .map(|k| Window::new(k.0, k.1))
        .reduce(Window::hull)
}

/// The kernels of a stream with suspicious ones cut; `None` where none is suspicious.
fn clip(kernels: &[Kernel], ids: &Range<u32>, suspicious: &[Suspicious]) -> Option<Vec<Kernel>> {
    let mine: Vec<_> = suspicious
        .iter()
        .filter(|s| ids.contains(&s.slice.0))
        .collect();
    if mine.is_empty() {
        return None;
    }
    let mut clipped = kernels.to_vec();
    for s in mine {
        if let Some(kernel) = clipped.get_mut(to_usize(s.slice.0 - ids.start)) {
            kernel.1 = s.clipped_end;
        }
    }
    Some(clipped)
}
