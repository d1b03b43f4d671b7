//! The snapshots: an allocator that plays them, what they hold, and how they are written. Tests take them from here too.

mod allocator;
mod pickle;
mod scenarios;

pub(crate) use scenarios::{Scenario, big, bundled};

use std::io;

/// The bytes of a scenario's file.
pub(crate) fn write(out: &mut dyn io::Write, scenario: &Scenario) -> io::Result<()> {
    pickle::write(out, &scenario.allocator, &scenario.stacks)
}
