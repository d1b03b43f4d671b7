//! What the columns of the tables of model FLOPs utilisation mean.

pub(in crate::metrics) const WINDOW: &str = "Length of the window.";
pub(in crate::metrics) const SOURCE: &str = "Where the FLOPs come from: measured (summed from the input shapes of ops) or typed (--flops-per-step, times the whole steps of the window).";
pub(in crate::metrics) const FLOPS: &str = "Floating-point operations of the window that the rate and MFU rest on; a multiply and an add are two. Empty where they cannot be told, with the reason in the note.";
pub(in crate::metrics) const COUNTED: &str =
    "FLOPs of the ops that were counted, also where FLOPs are typed.";
pub(in crate::metrics) const OPS_COUNTED: &str = "Matrix products and attention whose input shapes tell their FLOPs and whose first computation kernel starts in the window; each once, however many kernels it launched.";
pub(in crate::metrics) const OPS_NOT_COUNTED: &str = "Matrix products, convolutions and attention that start in the window and whose FLOPs the shapes do not tell. Never guessed.";
pub(in crate::metrics) const COVERAGE: &str = "Time of computation kernels whose op was counted, as a percentage of that of all computation kernels in the window; kernels side by side count each for themselves.";
pub(in crate::metrics) const STEPS: &str = "Whole steps in the window.";
pub(in crate::metrics) const PER_STEP: &str =
    "FLOPs of a step on the device: as typed, else the mean of whole steps, rounded half up.";
pub(in crate::metrics) const ACHIEVED: &str = "FLOPs over the length of the window.";
pub(in crate::metrics) const PEAK: &str = "The device's peak, as typed with --peak-tflops.";
pub(in crate::metrics) const MFU: &str = "Model FLOPs utilisation: 100 * FLOPs / (peak * window).";
pub(in crate::metrics) const NOTE: &str = "What limits the figures, or why there are none.";
pub(in crate::metrics) const WINDOW_A: &str = "Length of the window of the first trace.";
pub(in crate::metrics) const WINDOW_B: &str = "Length of the window of the second trace.";
pub(in crate::metrics) const GAIN: &str = "By how much the window of the second trace is shorter: of a run without overlap against one with it, the measured net gain. Below zero it is longer.";
pub(in crate::metrics) const STEPS_A: &str = "Whole steps in the window of the first trace.";
pub(in crate::metrics) const STEPS_B: &str = "Whole steps in the window of the second trace.";
pub(in crate::metrics) const GAIN_PER_STEP: &str = "By how much the mean whole step of the second trace is shorter, rounded half away from zero; empty where one has no whole step.";
pub(in crate::metrics) const ACHIEVED_A: &str =
    "FLOPs of the first trace over the length of its window.";
pub(in crate::metrics) const ACHIEVED_B: &str =
    "FLOPs of the second trace over the length of its window.";
pub(in crate::metrics) const MFU_A: &str = "Model FLOPs utilisation of the first trace.";
pub(in crate::metrics) const MFU_B: &str = "Model FLOPs utilisation of the second trace.";
