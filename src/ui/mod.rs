//! wip
pub mod theme;
