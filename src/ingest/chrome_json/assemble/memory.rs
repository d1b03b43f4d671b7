//! `[memory]` events: each allocation and each free, with what the allocator held afterwards.

use super::Assembler;
use super::values::time;
use crate::ingest::chrome_json::event::{RawEvent, each_key};
use crate::ingest::chrome_json::fast;
use crate::time::{Ns, parse_i64};
use crate::trace::{Category, DeviceId, IssueKind, MemoryPlace, Position, RawMemory, SourceSpan};

/// `Device Type` of the host.
const HOST_TYPE: i64 = 0;
/// `Device Id` of the host.
const HOST_ID: i64 = -1;
/// More bytes than this are refused, so that no later sum can overflow.
const MOST_BYTES: u64 = 1 << 62;
/// What health calls such an event.
const NAME: &str = "[memory]";

/// An arg that is there but says nothing that fits.
struct Damaged;

/// The args as the file writes them. Those of old files are `Bytes` and the device alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Args<'a> {
    bytes: Option<&'a str>,
    address: Option<&'a str>,
    device_id: Option<&'a str>,
    device_type: Option<&'a str>,
    allocated: Option<&'a str>,
    reserved: Option<&'a str>,
}

impl<'a> Args<'a> {
    fn read(args: Option<&'a str>) -> Self {
        let mut out = Self::default();
        let seen = args.map(|text| fast::members(text, |key, value| out.set(key, value)));
        if !matches!(seen, Some(Ok(()))) {
            out = Self::default();
            each_key(args, |key, value| out.set(key.as_bytes(), value));
        }
        out
    }

    /// Of a key that stands twice the last counts.
    fn set(&mut self, key: &[u8], value: &'a str) {
        let slot = match key {
            b"Bytes" => &mut self.bytes,
            b"Addr" => &mut self.address,
            b"Device Id" => &mut self.device_id,
            b"Device Type" => &mut self.device_type,
            b"Total Allocated" => &mut self.allocated,
            b"Total Reserved" => &mut self.reserved,
            _ => return,
        };
        *slot = Some(value).filter(|v| *v != "null");
    }

    /// Whose memory it is, and of which kind of device.
    fn place(&self) -> Result<(MemoryPlace, i64), Damaged> {
        let (kind, id) = (number(self.device_type)?, number(self.device_id)?);
        match (kind, id) {
            (Some(HOST_TYPE), _) | (_, Some(HOST_ID)) => Ok((MemoryPlace::Host, HOST_TYPE)),
            (Some(kind), Some(id)) if id >= 0 => Ok((MemoryPlace::Device(DeviceId(id)), kind)),
            _ => Err(Damaged),
        }
    }
}

/// A whole number, where there is one.
fn number(raw: Option<&str>) -> Result<Option<i64>, Damaged> {
    let Some(raw) = raw else {
        return Ok(None);
    };
    match parse_i64(raw.as_bytes()) {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(Damaged),
    }
}

/// A count of bytes, where there is one.
fn bytes(raw: Option<&str>) -> Result<Option<i64>, Damaged> {
    match number(raw)? {
        Some(bytes) if bytes.unsigned_abs() > MOST_BYTES => Err(Damaged),
        bytes => Ok(bytes),
    }
}

/// What an allocator holds is never less than nothing.
fn total(raw: Option<&str>) -> Result<Option<i64>, Damaged> {
    match bytes(raw)? {
        Some(total) if total < 0 => Err(Damaged),
        total => Ok(total),
    }
}

/// Where a block lies. One that cannot be read tells nothing of the block, but the event holds.
fn address(raw: Option<&str>) -> Option<i64> {
    let raw = raw?;
    // Addresses of the upper half have the same bits, whichever way a writer prints them.
    let unsigned = || raw.trim_matches(['"', ' ']).parse::<u64>().ok();
    let signed = parse_i64(raw.as_bytes()).ok();
    let found = signed.or_else(|| unsigned().map(u64::cast_signed));
    found.filter(|address| *address != 0)
}

impl Assembler<'_> {
    /// Takes an allocation or a free.
    pub(super) fn memory(&mut self, event: &RawEvent<'_>, span: SourceSpan) {
        let at = match time(event.ts) {
            Ok(at) => Ns(at),
            Err(why) => return self.note(why, span.offset, NAME),
        };
        // What lies before a range tells what the range begins with, so it stays until all is read.
        // What happens at its very end belongs to the range that follows.
        let is_behind = self.filter.range.is_some_and(|range| at >= range.end());
        if self.filter.everything || is_behind {
            let file = self.builder.file;
            let position = || Position {
                byte: Some(span.offset),
                what: NAME.to_owned(),
            };
            let health = &mut self.builder.health;
            return health.note(IssueKind::OutsideRange, file, position);
        }
        match self.read_memory(event, at, span) {
            Ok(event) => self.builder.push_memory(event),
            Err(Damaged) => self.note(IssueKind::BadMemoryEvent, span.offset, NAME),
        }
    }

    fn read_memory(
        &mut self,
        event: &RawEvent<'_>,
        at: Ns,
        span: SourceSpan,
    ) -> Result<RawMemory, Damaged> {
        let args = Args::read(event.args);
        let (place, device_type) = args.place()?;
        Ok(RawMemory {
            at,
            place,
            device_type,
            bytes: bytes(args.bytes)?.ok_or(Damaged)?,
            address: address(args.address),
            allocated: total(args.allocated)?,
            reserved: total(args.reserved)?,
            lane: self.lane(event, Category::Other, None, None),
            source: span,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_reading_args_find_the_same() {
        let plain = r#"{"Total Reserved": 9, "Total Allocated":7,"Bytes" : -3, "Device Id": 0, "Device Type": 6, "Addr": 140, "finished": true, "Ev Idx": 1}"#;
        let escaped = plain.replace("Bytes", "Byte\\u0073");
        let args = Args::read(Some(plain));
        assert_eq!(args, Args::read(Some(&escaped)));
        assert_eq!((args.bytes, args.reserved), (Some("-3"), Some("9")));
        let twice = r#"{"Bytes": 1, "Bytes": 2, "Addr": null}"#;
        let args = Args::read(Some(twice));
        assert_eq!((args.bytes, args.address), (Some("2"), None));
        for none in [None, Some("[1]"), Some("7"), Some("{}")] {
            assert_eq!(Args::read(none), Args::default());
        }
    }

    #[test]
    fn an_address_keeps_its_bits_or_is_not_known() {
        assert_eq!(address(Some("140")), Some(140));
        assert_eq!(address(Some("-1")), Some(-1));
        for all_bits in ["18446744073709551615", r#""18446744073709551615""#] {
            assert_eq!(address(Some(all_bits)), Some(-1));
        }
        for none in ["0", "1.5", r#""0x7f00""#, "99999999999999999999", "[]"] {
            assert_eq!(address(Some(none)), None);
        }
        assert_eq!(address(None), None);
    }

    #[test]
    fn every_type_but_the_host_is_a_device() {
        let place = |kind, id| {
            let args = Args {
                device_type: kind,
                device_id: id,
                ..Args::default()
            };
            args.place().ok()
        };
        let device = |id| MemoryPlace::Device(DeviceId(id));
        assert_eq!(place(Some("0"), Some("-1")), Some((MemoryPlace::Host, 0)));
        assert_eq!(place(Some("0"), None), Some((MemoryPlace::Host, 0)));
        assert_eq!(place(Some("1"), Some("-1")), Some((MemoryPlace::Host, 0)));
        assert_eq!(place(Some("1"), Some("3")), Some((device(3), 1)));
        assert_eq!(place(Some("6"), Some("0")), Some((device(0), 6)));
        for (kind, id) in [(Some("1"), None), (None, Some("0")), (None, None)] {
            assert_eq!(place(kind, id), None);
        }
        assert_eq!(place(Some("1"), Some("-2")), None);
        assert_eq!(place(Some("x"), Some("-1")), None);
    }
}
