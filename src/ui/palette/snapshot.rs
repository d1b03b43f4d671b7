//! What the palette offers for the allocator snapshot, while one is open.

use crate::session::{Action, CsvPanel, Session, SnapshotAction, SnapshotTable};

/// The commands.
pub(super) fn commands(session: &Session) -> Vec<(&'static str, Action)> {
    if session.snapshot.open.is_none() {
        return Vec::new();
    }
    let list = [
        ("Close the allocator snapshot", SnapshotAction::Close),
        ("Load the allocator snapshot again", SnapshotAction::Reload),
        (
            "Go to the end of the allocator's recording",
            SnapshotAction::Moment(None),
        ),
    ];
    let mut all: Vec<(&'static str, Action)> = list
        .into_iter()
        .map(|(what, action)| (what, Action::Snapshot(action)))
        .collect();
    // What is not in front was not followed to the present window.
    if session.shows_allocator() {
        let tables = [
            (
                "Export the allocator's figures as CSV",
                SnapshotTable::Devices,
            ),
            (
                "Export the allocator's blocks as CSV",
                SnapshotTable::Blocks,
            ),
            (
                "Export the allocator's call sites as CSV",
                SnapshotTable::Sites,
            ),
            ("Export what would fit as CSV", SnapshotTable::Fit),
            (
                "Export the times that memory ran out as CSV",
                SnapshotTable::Oom,
            ),
        ];
        all.extend(tables.map(|(what, table)| {
            let panel = CsvPanel::Snapshot(table);
            (what, Action::ExportCsv { panel })
        }));
    }
    all
}
