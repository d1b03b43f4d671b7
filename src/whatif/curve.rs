//! [`Curve`]: a model's curve with the present configuration and what was measured marked on it, in
//! the units of a chart.

use super::given::{Filled, Rows};
use super::number::{float, real};
use super::table::{
    Source, bucket_curve, chunk_curve, contention_curve, prefetch_curve, streams_curve,
};
use super::{ModelError, recognise_cap};
use crate::time::DurNs;

/// Lines and marks of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What lies along the horizontal axis, with its unit.
    pub x: &'static str,
    /// What lies along the vertical axis, with its unit.
    pub y: &'static str,
    /// Whether the horizontal axis is logarithmic; coordinates are not.
    pub log_x: bool,
    /// The lines.
    pub lines: Vec<Line>,
    /// What is marked.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is.
    pub name: &'static str,
    /// Its points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A point, or a line right across where only one of the coordinates is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it is.
    pub name: &'static str,
    /// Place along the horizontal axis.
    pub x: Option<f64>,
    /// Place along the vertical axis.
    pub y: Option<f64>,
    /// Where it comes from.
    pub source: Source,
}

fn ms(time: DurNs) -> f64 {
    float(time) / 1e6
}

fn mb(bytes: u64) -> f64 {
    real(bytes) / 1e6
}

fn mark(name: &'static str, x: Option<f64>, y: Option<f64>, source: Source) -> Mark {
    Mark { name, x, y, source }
}

impl Filled {
    /// The curve of the model.
    ///
    /// # Errors
    /// What is wrong with an input.
    pub fn curve(&self) -> Result<Curve, ModelError> {
        match self.rows()? {
            Rows::Streams(rows) => self.streams(&rows),
            Rows::Buckets(rows) => self.buckets(&rows),
            Rows::Chunks(rows) => self.chunks(&rows),
            Rows::Prefetch(rows) => self.prefetch(&rows),
            Rows::Contention(rows) => self.contention(&rows),
        }
    }

    fn streams(&self, rows: &[super::table::StreamsRow]) -> Result<Curve, ModelError> {
        let Self::Streams(input, _) = self else {
            return Err(ModelError::Nothing("the rows"));
        };
        let swept = streams_curve(*input)?;
        let line = |name| Line {
            name,
            points: swept
                .iter()
                .filter(|row| row.case == name)
                .map(|row| (ms(row.input.communication), ms(row.way.total)))
                .collect(),
        };
        // Synchronised lies on serial.
        let x = Some(ms(input.communication));
        let marks = rows.iter().filter_map(|row| {
            let y = Some(ms(row.way.total));
            match row.case {
                "overlapped" => Some(mark("overlapped now", x, y, Source::Modelled)),
                "measured" => Some(mark("measured", x, y, Source::Measured)),
                _ => None,
            }
        });
        Ok(Curve {
            x: "communication, ms",
            y: "total, ms",
            log_x: false,
            lines: vec![line("serial"), line("overlapped")],
            marks: marks.collect(),
        })
    }

    fn buckets(&self, rows: &[super::table::BucketRow]) -> Result<Curve, ModelError> {
        let Self::Buckets(input, asked) = self else {
            return Err(ModelError::Nothing("the rows"));
        };
        let swept = bucket_curve(input, &asked.sizes)?;
        let points = swept
            .iter()
            .filter_map(|row| Some((mb(row.bytes?), ms(row.exposed?))));
        let points: Vec<(f64, f64)> = points.collect();
        let sizes: Vec<u64> = asked.ready.iter().map(|bucket| bucket.bytes).collect();
        let cap = recognise_cap(&sizes).map(|cap| mb(cap.at_most));
        let marks = rows.iter().filter_map(|row| {
            let y = Some(ms(row.exposed?));
            match row.case {
                "size" => Some(mark("this size", Some(mb(row.bytes?)), y, Source::Modelled)),
                "best" => Some(mark("best", Some(mb(row.bytes?)), y, Source::Modelled)),
                "ready" => Some(mark("as it ran", cap, y, Source::Modelled)),
                "measured" => Some(mark("measured", cap, y, Source::Measured)),
                _ => None,
            }
        });
        let marks: Vec<Mark> = marks.collect();
        // Latency makes the smallest sizes so bad that nothing else could be seen beside them.
        let last = points.last().map_or(0.0, |(_, y)| *y);
        let highest = marks.iter().filter_map(|mark| mark.y).fold(last, f64::max);
        let points = points.into_iter().filter(|(_, y)| *y <= 2.0 * highest);
        Ok(Curve {
            x: "bucket size, MB",
            y: "exposed, ms",
            log_x: true,
            lines: vec![Line {
                name: "exposed",
                points: points.collect(),
            }],
            marks,
        })
    }

    fn chunks(&self, rows: &[super::table::ChunkRow]) -> Result<Curve, ModelError> {
        let Self::Chunks(input, _) = self else {
            return Err(ModelError::Nothing("the rows"));
        };
        let at =
            |row: &super::table::ChunkRow| (f64::from(row.chunked.chunks), ms(row.chunked.total));
        let marks = rows.iter().map(|row| {
            let name = if row.case == "best" {
                "best"
            } else {
                "this many"
            };
            let (x, y) = at(row);
            mark(name, Some(x), Some(y), Source::Modelled)
        });
        Ok(Curve {
            x: "chunks",
            y: "total, ms",
            log_x: false,
            lines: vec![Line {
                name: "total",
                points: chunk_curve(*input)?.iter().map(at).collect(),
            }],
            marks: marks.collect(),
        })
    }

    fn prefetch(&self, rows: &[super::table::PrefetchRow]) -> Result<Curve, ModelError> {
        let Self::Prefetch(input, memory, ..) = self else {
            return Err(ModelError::Nothing("the rows"));
        };
        let at = |row: &super::table::PrefetchRow| Some((real(row.depth?), ms(row.exposed?)));
        let marks = rows.iter().filter_map(|row| match row.case {
            "depth" => {
                let (x, y) = at(row)?;
                Some(mark("this depth", Some(x), Some(y), Source::Modelled))
            }
            "measured" => Some(mark(
                "measured",
                None,
                Some(ms(row.exposed?)),
                Source::Measured,
            )),
            _ => None,
        });
        Ok(Curve {
            x: "depth",
            y: "exposed, ms",
            log_x: false,
            lines: vec![Line {
                name: "exposed",
                points: prefetch_curve(input, *memory)?
                    .iter()
                    .filter_map(at)
                    .collect(),
            }],
            marks: marks.collect(),
        })
    }

    fn contention(&self, rows: &[super::table::ContentionRow]) -> Result<Curve, ModelError> {
        let Self::Contention(input, _) = self else {
            return Err(ModelError::Nothing("the rows"));
        };
        let swept = contention_curve(*input)?;
        let swept_c = swept.iter().filter(|row| row.case == "sweep_k_comp");
        let swept_m = swept.iter().filter(|row| row.case == "sweep_k_comm");
        let total = |row: &super::table::ContentionRow| row.total.map(ms);
        let lines = vec![
            Line {
                name: "k comp",
                points: swept_c
                    .filter_map(|r| Some((r.k_comp?, total(r)?)))
                    .collect(),
            },
            Line {
                name: "k comm",
                points: swept_m
                    .filter_map(|r| Some((r.k_comm?, total(r)?)))
                    .collect(),
            },
        ];
        let mut marks = Vec::new();
        for row in rows {
            let y = total(row);
            match row.case {
                "serial" => marks.push(mark("serial", None, y, Source::Modelled)),
                "measured" => marks.push(mark("measured", None, y, Source::Measured)),
                "phases" => {
                    marks.push(mark("k comp now", row.k_comp, y, Source::Modelled));
                    marks.push(mark("k comm now", row.k_comm, y, Source::Modelled));
                }
                "break_even_k_comp" if row.k_comp.is_some() => {
                    marks.push(mark(
                        "break-even k comp",
                        row.k_comp,
                        None,
                        Source::Modelled,
                    ));
                }
                "break_even_k_comm" if row.k_comm.is_some() => {
                    marks.push(mark(
                        "break-even k comm",
                        row.k_comm,
                        None,
                        Source::Modelled,
                    ));
                }
                _ => {}
            }
        }
        Ok(Curve {
            x: "k, the other as it is",
            y: "total, ms",
            log_x: false,
            lines,
            marks,
        })
    }
}
