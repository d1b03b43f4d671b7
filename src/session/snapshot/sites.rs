//! The table and the flame of call sites: what they list, in which order, and what is zoomed into.

use super::{Held, HeldKey, HeldOf, OpenSnapshot};
use crate::metrics::SortOrder;
use crate::session::{Filter, Picked, Session, Sorting};
use crate::snapshot::{FrameId, GroupBy, Site};

/// A column that call sites are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteSort {
    /// Bytes.
    Bytes,
    /// Number of allocations.
    Count,
    /// The largest allocation.
    Largest,
    /// The words of the site.
    Site,
}

/// State of the table and of the flame.
#[derive(Debug)]
pub struct Sites {
    /// Which allocations are listed.
    pub of: HeldOf,
    /// What they are grouped by.
    pub by: GroupBy,
    /// Whether the flame has no frames of native code.
    pub only_python: bool,
    /// The frames that are zoomed into, from the outermost one.
    pub flame: Vec<Option<FrameId>>,
    /// The filter.
    pub filter: Filter,
    /// The order.
    pub sorting: Sorting<SiteSort>,
    /// The rows that the filter left, and what they follow from.
    picked: Option<(HeldKey, Vec<usize>)>,
}

impl Default for Sites {
    fn default() -> Self {
        Self {
            of: HeldOf::Moment,
            by: GroupBy::Site,
            only_python: true,
            flame: Vec::new(),
            filter: Filter::default(),
            sorting: Sorting {
                by: SiteSort::Bytes,
                order: SortOrder::Descending,
            },
            picked: None,
        }
    }
}

impl Sites {
    pub(super) fn sort_by(&mut self, by: SiteSort) {
        let first = match by {
            SiteSort::Site => SortOrder::Ascending,
            _ => SortOrder::Descending,
        };
        self.sorting.choose(by, first);
        self.picked = None;
    }

    pub(super) fn set_filter(&mut self, text: String) {
        self.filter.set(text);
        self.picked = None;
    }
}

/// A call site in words.
#[must_use]
pub fn site_words(open: &OpenSnapshot, frame: Option<FrameId>) -> String {
    let snapshot = &open.snapshot;
    let frame = frame.and_then(|id| snapshot.frames.get(id));
    frame.map_or_else(
        || "no stack recorded".to_owned(),
        |frame| snapshot.frame_words(frame),
    )
}

impl Session {
    /// Call sites as they are listed, with what they are shares of, and whether they are of the present
    /// moment and window.
    #[must_use]
    pub fn shown_sites(&self) -> Option<(Picked<'_, Site>, &Held, bool)> {
        let (held, is_current) = self.snapshot.shown_held(self.held_key()?)?;
        let (_, kept) = self.snapshot.sites.picked.as_ref()?;
        Some((Picked::new(&held.sites, kept), held, is_current))
    }

    /// Filters and sorts, unless that was done.
    pub(super) fn pick_sites(&mut self) {
        let Some((key, held)) = self.snapshot.held.here() else {
            return;
        };
        let sites = &self.snapshot.sites;
        if sites.picked.as_ref().is_some_and(|(of, _)| of == key) {
            return;
        }
        let Some(open) = self.snapshot.open.as_deref() else {
            return;
        };
        let mut rows: Vec<(usize, &Site, String)> = held
            .sites
            .iter()
            .enumerate()
            .map(|(at, site)| (at, site, site_words(open, site.frame)))
            .filter(|(_, _, words)| sites.filter.wants(words))
            .collect();
        rows.sort_by(|(_, a, a_words), (_, b, b_words)| {
            let order = match sites.sorting.by {
                SiteSort::Bytes => a.bytes.cmp(&b.bytes),
                SiteSort::Count => a.count.cmp(&b.count),
                SiteSort::Largest => a.largest.cmp(&b.largest),
                SiteSort::Site => a_words.cmp(b_words),
            };
            match sites.sorting.order {
                SortOrder::Ascending => order,
                SortOrder::Descending => order.reverse(),
            }
        });
        let kept = rows.into_iter().map(|(at, _, _)| at).collect();
        self.snapshot.sites.picked = Some((*key, kept));
    }
}
