//! The tables of the allocator's view.

use crate::export::snapshot::{
    BLOCK_COLUMNS, DEVICE_COLUMNS, FIT_COLUMNS, FreeSource, OOM_COLUMNS, SITE_COLUMNS, SiteRow,
};
use crate::metrics::report::Grid;
use crate::session::Session;

/// A table of the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotTable {
    /// Totals of the device at the moment.
    Devices,
    /// Blocks at the moment.
    Blocks,
    /// Call sites as they are listed.
    Sites,
    /// Whether the request fits.
    Fit,
    /// The times that memory ran out.
    Oom,
}

impl SnapshotTable {
    /// File name without extension that a save dialog starts from.
    #[must_use]
    pub fn file_stem(self) -> &'static str {
        match self {
            Self::Devices => "overlane-allocator",
            Self::Blocks => "overlane-allocator-blocks",
            Self::Sites => "overlane-allocator-sites",
            Self::Fit => "overlane-allocator-fit",
            Self::Oom => "overlane-allocator-oom",
        }
    }
}

impl Session {
    /// A table of the snapshot, with the rows that the command line writes; empty where nothing is
    /// known.
    pub(in crate::session) fn snapshot_grid(&self, table: SnapshotTable) -> Grid {
        self.grid_of(table).unwrap_or_default()
    }

    fn grid_of(&self, table: SnapshotTable) -> Option<Grid> {
        let allocator = &self.snapshot;
        let (open, device, recorded) = allocator.focused()?;
        let (moment, _) = allocator.shown_moment()?;
        let layout = moment.layout(open, allocator.device);
        let seen = open.seen(device, recorded, layout);
        Some(match table {
            SnapshotTable::Devices => Grid::new(&DEVICE_COLUMNS, &[seen.device_row()]),
            SnapshotTable::Blocks => Grid::new(&BLOCK_COLUMNS, &seen.block_rows()),
            SnapshotTable::Fit => {
                let fitted = allocator.fitted()?;
                let source = if fitted.driver_is_recorded {
                    FreeSource::OomEvent
                } else {
                    FreeSource::Typed
                };
                let rows = seen.fit_rows(
                    fitted.request.bytes,
                    fitted.driver_free.map(|free| (free, source)),
                );
                Grid::new(&FIT_COLUMNS, &rows)
            }
            SnapshotTable::Oom => Grid::new(&OOM_COLUMNS, &seen.oom_rows(recorded.ooms.clone())),
            SnapshotTable::Sites => {
                let (picked, _, _) = self.shown_sites()?;
                let rows: Vec<SiteRow> = picked
                    .iter()
                    .map(|of| SiteRow {
                        device: device.id,
                        of: *of,
                        site: seen.site_words(of.stack),
                    })
                    .collect();
                Grid::new(&SITE_COLUMNS, &rows)
            }
        })
    }
}
