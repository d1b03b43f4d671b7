//! Kernel classification (being written).
/// Rules.
#[derive(Debug, Clone, Default)]
pub struct Rules;
impl Rules {
    /// Shipped rules.
    #[must_use]
    pub fn builtin() -> Self { Self }
}
