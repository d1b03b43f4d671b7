//! The question "would it fit": what was typed, and the answer for the moment that is looked at.

use super::{Allocator, MomentKey};
use crate::session::Session;
use crate::snapshot::{Fit, Fragmentation, Pool, PoolId, Request, rounded};
use crate::whatif::parse_size;

/// The request that is asked for at the start.
const FIRST: u64 = 512 << 20;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitForm {
    /// The size as it is typed.
    pub size: String,
    /// The bytes of the last size that was understood.
    pub bytes: u64,
    /// What is wrong with the size.
    pub size_trouble: Option<String>,
    /// The stream and the pool.
    pub place: (i64, PoolId),
    /// What the driver has free, as it is typed; empty leaves it to the recording.
    pub driver: String,
    /// What is wrong with that.
    pub driver_trouble: Option<String>,
    /// The last bytes of it that were understood.
    pub typed_driver: Option<u64>,
}

impl Default for FitForm {
    fn default() -> Self {
        Self {
            size: "512 MiB".to_owned(),
            bytes: FIRST,
            size_trouble: None,
            place: (0, PoolId::COMMON),
            driver: String::new(),
            driver_trouble: None,
            typed_driver: None,
        }
    }
}

impl FitForm {
    /// Reads what was typed; what is not understood leaves the last answer.
    #[must_use]
    pub(super) fn understood(mut self) -> Self {
        match parse_size(&self.size) {
            Ok(bytes) => (self.bytes, self.size_trouble) = (bytes, None),
            Err(error) => self.size_trouble = Some(error.to_string()),
        }
        (self.typed_driver, self.driver_trouble) = match self.driver.trim() {
            "" => (None, None),
            "0" => (Some(0), None),
            text => match parse_size(text) {
                Ok(bytes) => (Some(bytes), None),
                Err(error) => (self.typed_driver, Some(error.to_string())),
            },
        };
        self
    }
}

/// What an answer follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FitKey {
    moment: MomentKey,
    bytes: u64,
    place: (i64, PoolId),
    driver: Option<u64>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What was asked.
    pub request: Request,
    /// The bytes of the block that it would get.
    pub rounded: u64,
    /// The pool that serves it.
    pub pool: Pool,
    /// Whether it fits.
    pub fit: Fit,
    /// What is free and yet of no use.
    pub fragmentation: Fragmentation,
    /// The largest request that its stream and pool serve from the cache.
    pub largest: u64,
    /// What the driver had free, if that is known.
    pub driver_free: Option<u64>,
    /// Whether that was told by the recording and not typed.
    pub driver_is_recorded: bool,
}

impl Allocator {
    /// The answer, once it is there.
    #[must_use]
    pub fn fitted(&self) -> Option<&Fitted> {
        self.fitted.as_ref().map(|(_, fitted)| fitted)
    }

    /// Streams and pools that segments are of, in order, so that one can be chosen.
    #[must_use]
    pub fn places(&self) -> Vec<(i64, PoolId)> {
        let Some((moment, _)) = self.shown_moment() else {
            return Vec::new();
        };
        let mut places: Vec<(i64, PoolId)> = vec![self.fit.place];
        places.extend(moment.largest.keys().map(|pool| (pool.stream, pool.id)));
        places.sort_unstable_by_key(|(stream, id)| (*id, *stream));
        places.dedup();
        places
    }
}

impl Session {
    pub(super) fn refresh_fit(&mut self) {
        let allocator = &self.snapshot;
        let (Some(moment_key), Some((open, device, recorded)), Some((moment, _))) = (
            allocator.state_key(),
            allocator.focused(),
            allocator.shown_moment(),
        ) else {
            return;
        };
        let form = &allocator.fit;
        let events = moment_key.events.unwrap_or(device.events.len());
        let told = recorded.history.driver_free_after(events).map(|f| f.bytes);
        let driver = form.typed_driver.or(told);
        let key = FitKey {
            moment: moment_key,
            bytes: form.bytes,
            place: form.place,
            driver,
        };
        if allocator.fitted.as_ref().is_some_and(|(of, _)| *of == key) {
            return;
        }
        let layout = moment.layout(open, allocator.device);
        let settings = &open.snapshot.settings;
        let request = Request {
            bytes: form.bytes,
            stream: form.place.0,
            pool: form.place.1,
            device: device.id,
        };
        let pool = request.pool(settings);
        let of_place = moment
            .largest
            .iter()
            .filter(|(p, _)| (p.stream, p.id) == form.place);
        let fitted = Fitted {
            request,
            rounded: rounded(form.bytes, settings),
            pool,
            fit: request.fit(layout, settings, driver),
            fragmentation: request.fragmentation(layout, settings),
            largest: of_place.map(|(_, most)| *most).max().unwrap_or(0),
            driver_free: driver,
            driver_is_recorded: form.typed_driver.is_none() && told.is_some(),
        };
        self.snapshot.fitted = Some((key, fitted));
    }
}
