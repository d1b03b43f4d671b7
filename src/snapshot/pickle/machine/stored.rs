//! What was stored for later: put away, recalled one by one, or as a whole run that fills a list.

use super::super::number::{Whole, decimal};
use super::super::{Builder, PickleError, Value, opcode as op, runs};
use super::Machine;

impl<B: Builder> Machine<'_, B> {
    pub(super) fn memo(&mut self) -> Result<(), PickleError> {
        let index = match self.code {
            op::MEMOIZE => u64::try_from(self.memo.len()).unwrap_or(u64::MAX),
            op::BINPUT => u64::from(self.input.byte()?),
            op::LONG_BINPUT => u64::from(u32::from_le_bytes(self.input.array()?)),
            _ => match decimal(self.input.line()?) {
                Some(Whole::Small(index)) if index >= 0 => index.unsigned_abs(),
                _ => return Err(PickleError::Number { byte: self.byte }),
            },
        };
        if self.code == op::GET {
            return self.recall(index);
        }
        let top = self.top()?;
        if self.memo.put(index, top) {
            self.forget();
        }
        Ok(())
    }

    /// Behind a mark: fills the empty list below it with a whole run of references, where one comes.
    #[inline]
    pub(super) fn run(&mut self) -> Result<bool, PickleError> {
        let Some(list @ Value::List(_)) = self.stack.last().copied() else {
            return Ok(false);
        };
        let ahead = self.input.ahead();
        let Some(run) = runs::length(ahead).and_then(|length| ahead.get(..length)) else {
            return Ok(false);
        };
        if !self.builder.is_empty_list(list) {
            return Ok(false);
        }
        let length = run.len();
        if let Some(known) = self.runs.get(run)
            && self.builder.fill_like(list, known)
        {
            self.input.pass(length);
            return Ok(true);
        }
        let run: Box<[u8]> = run.into();
        self.marks.push(self.stack.len());
        let end = self.input.position() + u64::try_from(length).unwrap_or(0);
        while self.input.position() < end {
            self.step()?;
        }
        if self.builder.settle(list) {
            self.runs.put(run, list);
        }
        Ok(true)
    }

    /// Pushes what was stored.
    #[inline]
    pub(super) fn recall(&mut self, index: u64) -> Result<(), PickleError> {
        let byte = self.byte;
        let value = self.memo.get(index);
        self.push(value.ok_or(PickleError::NoMemo { index, byte })?)
    }
}
