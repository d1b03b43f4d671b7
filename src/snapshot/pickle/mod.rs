//! Reading pickles as data: an opcode machine that can make numbers, texts and containers, and
//! nothing else.
//!
//! Python's own reader runs whatever a pickle names. This one knows no opcode that would import,
//! call or build; such a pickle is refused with the opcode's name and place. What values become is
//! the matter of a [`Builder`]: the machine only has a stack of 16-byte values that name containers
//! by number, so values that are shared or hold themselves cost nothing, and nothing here recurses.

mod blocks;
mod error;
mod input;
mod machine;
mod memo;
mod number;
mod opcode;
mod runs;
mod shapes;
#[cfg(test)]
mod tests;
mod text;

pub(super) use blocks::read_ahead;
pub use error::PickleError;
pub(super) use input::Input;
pub(super) use machine::run;

/// A value on the stack. Containers, texts and numbers beyond 64 bits are numbers of the builder's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// A number that needs up to 128 bits.
    Wide(u32),
    /// A number beyond 128 bits, of which nothing is kept.
    Huge,
    Float(f64),
    /// A text, or bytes, which old writers used for text.
    Text(u32),
    List(u32),
    Dict(u32),
    Tuple(u32),
}

/// Why a builder does not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Items for something that holds none.
    NotAContainer,
    /// A container that was filled further after it had been put to use.
    Changed,
    /// More things than can be numbered.
    TooMany,
}

/// Makes what the machine reads.
pub(super) trait Builder {
    /// A text.
    fn text(&mut self, bytes: &[u8]) -> Result<Value, Refusal>;
    /// A number that does not fit 64 bits.
    fn wide(&mut self, number: i128) -> Result<Value, Refusal>;
    /// An empty list.
    fn list(&mut self) -> Result<Value, Refusal>;
    /// An empty dictionary.
    fn dict(&mut self) -> Result<Value, Refusal>;
    /// A tuple.
    fn tuple(&mut self, items: &[Value]) -> Result<Value, Refusal>;
    /// Appends to a list.
    fn append(&mut self, list: Value, items: &[Value]) -> Result<(), Refusal>;
    /// Puts keys and values, one after the other, into a dictionary.
    fn set_items(&mut self, dict: Value, pairs: &[Value]) -> Result<(), Refusal>;
    /// What dictionaries with these keys are called from now on; `None` where they are not told apart.
    fn plan(&mut self, keys: &[Value]) -> Option<u32>;
    /// Whether a dictionary is empty.
    fn is_empty_dict(&self, dict: Value) -> bool;
    /// Fills an empty dictionary, which is not filled further, with the values of a plan's keys; `false`
    /// where it did not.
    fn fill(&mut self, dict: Value, plan: u32, values: &[Value]) -> bool;
    /// Whether a list is empty.
    fn is_empty_list(&self, list: Value) -> bool;
    /// Makes an empty list what another one, which nothing can change any more, is; `false` where the
    /// other one could still change.
    fn fill_like(&mut self, list: Value, other: Value) -> bool;
    /// Tells that a list will not be filled further; `true` where that makes it one that nothing can
    /// change.
    fn settle(&mut self, list: Value) -> bool;
    /// About how many bytes are held.
    fn held(&self) -> u64;
}
