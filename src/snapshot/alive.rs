//! Which allocations were alive after so many events, without walking all of them.

/// How many entries of a level one entry of the level above stands for.
const WIDTH: usize = 16;

/// Ends of lives in the order of their beginnings, and the latest of every [`WIDTH`], and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    born: Vec<u32>,
    levels: Vec<Vec<u32>>,
}

impl Lives {
    /// Lives by beginning, which must be in order, and end: alive after `k` events is who was born by
    /// then and is not gone by then.
    pub(super) fn new(born: Vec<u32>, gone: Vec<u32>) -> Self {
        let mut levels = vec![gone];
        while let Some(last) = levels.last()
            && last.len() > 1
        {
            let above = last
                .chunks(WIDTH)
                .map(|chunk| chunk.iter().copied().max().unwrap_or(0))
                .collect();
            levels.push(above);
        }
        Self { born, levels }
    }

    /// The places of those alive after so many events, in order.
    pub(super) fn after(&self, events: u32) -> Vec<usize> {
        let until = self.born.partition_point(|born| *born <= events);
        let mut found = Vec::new();
        let top = self.levels.len().saturating_sub(1);
        // Levels below the top are entered at most once each: no deeper than there are levels.
        let mut todo = vec![(top, 0_usize)];
        while let Some((level, at)) = todo.pop() {
            let width = WIDTH.pow(u32::try_from(level).unwrap_or(0));
            let latest = self.levels.get(level).and_then(|all| all.get(at));
            if at.saturating_mul(width) >= until || latest.is_none_or(|gone| *gone <= events) {
                continue;
            }
            match level.checked_sub(1) {
                None => found.push(at),
                Some(below) => {
                    let first = at * WIDTH;
                    todo.extend((first..first + WIDTH).rev().map(|child| (below, child)));
                }
            }
        }
        found
    }
}
