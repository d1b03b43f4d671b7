//! From finished ranks to one [`Trace`]: one dictionary, one health list, ranks by number.

use super::builder::RankParts;
use super::{FileId, Health, IssueKind, NameId, Names, Position, SourceFile, Trace};

impl Trace {
    /// Joins ranks that were built apart. `health` holds what is not of one rank, such as files
    /// that could not be read.
    #[must_use]
    pub fn assemble(files: Vec<SourceFile>, parts: Vec<RankParts>, mut health: Health) -> Self {
        let mut names = Names::default();
        let mut ranks = Vec::with_capacity(parts.len());
        for part in parts {
            if names.is_empty() {
                // The first dictionary is the trace's own: nothing is renamed.
                names = part.names;
                health.absorb(part.health);
                ranks.push(part.rank);
                continue;
            }
            let map: Vec<NameId> = part
                .names
                .iter()
                .map(|(_, text)| names.intern(text))
                .collect();
            let of = |id: NameId| {
                usize::try_from(id.0)
                    .ok()
                    .and_then(|i| map.get(i).copied())
                    .unwrap_or(id)
            };
            let mut rank = part.rank;
            for name in &mut rank.slices.name {
                *name = of(*name);
            }
            for instant in &mut rank.instants {
                instant.name = of(instant.name);
            }
            for comm in &mut rank.comms {
                comm.message = comm.message.renamed(of);
            }
            for flow in &mut rank.flows {
                flow.category = of(flow.category);
            }
            for counter in &mut rank.counters {
                (counter.name, counter.series) = (of(counter.name), of(counter.series));
            }
            health.absorb(part.health);
            ranks.push(rank);
        }
        ranks.sort_by_key(|r| r.id);
        let events = files.iter().map(|f| f.events).sum();
        let mut trace = Self {
            files,
            ranks,
            names,
            health,
            events,
            ..Self::default()
        };
        trace.match_collectives();
        trace.note_missing_ranks();
        trace
    }

    /// Says which ranks of the job are not here, once more than one file was opened.
    fn note_missing_ranks(&mut self) {
        if self.ranks.len() < 2 {
            return;
        }
        let Some((missing, what)) = self.missing_ranks() else {
            return;
        };
        let file = self.ranks.first().map_or(FileId(0), |r| r.file);
        self.health
            .note_many(IssueKind::MissingRanks, file, missing, || Position {
                byte: None,
                what,
            });
    }

    /// How many ranks the job has that are not here, and which: `ranks 1, 3-6 of 8`. `None` where
    /// all are, or where no file says how many there are.
    #[must_use]
    pub fn missing_ranks(&self) -> Option<(u64, String)> {
        let world = self.ranks.iter().filter_map(|r| r.world_size).max()?;
        // Gaps between the ranks that are here; a file may claim a world of billions.
        let mut gaps: Vec<(u32, u32)> = Vec::new();
        let mut next = 0;
        for id in self.ranks.iter().map(|r| r.id.0).filter(|id| *id < world) {
            if id > next {
                gaps.push((next, id - 1));
            }
            next = id + 1;
        }
        if next < world {
            gaps.push((next, world - 1));
        }
        let missing: u64 = gaps.iter().map(|(a, b)| u64::from(b - a) + 1).sum();
        (missing > 0).then(|| (missing, list(&gaps, world)))
    }
}

/// `ranks 1, 3-6 of 8`.
fn list(gaps: &[(u32, u32)], world: u32) -> String {
    const SHOWN: usize = 20;
    let mut words: Vec<String> = gaps
        .iter()
        .take(SHOWN)
        .map(|&(a, b)| {
            if a == b {
                a.to_string()
            } else {
                format!("{a}-{b}")
            }
        })
        .collect();
    if gaps.len() > SHOWN {
        words.push("…".to_owned());
    }
    format!("ranks {} of {world}", words.join(", "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn missing_ranks_are_told_as_runs() {
        assert_eq!(
            super::list(&[(1, 1), (3, 5), (7, 7)], 8),
            "ranks 1, 3-5, 7 of 8"
        );
    }
}
