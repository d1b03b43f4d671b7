//! Why a pickle cannot be read: what is wrong, at which byte, what to do. The file's name is put
//! before it by the caller.

/// One sentence each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickleError {
    /// An opcode that imports, calls, builds or asks for something outside of the file.
    #[error("this pickle would run code ({opcode} at byte {byte}); overlane reads data only")]
    RunsCode {
        /// Python's name of it.
        opcode: &'static str,
        /// Where.
        byte: u64,
    },
    /// The end came too early.
    #[error(
        "the pickle ends at byte {byte} in the middle of a value; copy the file again, or dump the snapshot again"
    )]
    Truncated {
        /// Where the file ends.
        byte: u64,
    },
    /// A byte that is no opcode.
    #[error("byte {byte} (0x{code:02x}) is no pickle opcode; copy the file again")]
    NoOpcode {
        /// The byte's value.
        code: u8,
        /// Where.
        byte: u64,
    },
    /// A protocol that is to come.
    #[error(
        "pickle protocol {protocol} at byte {byte} is not known; dump the snapshot with protocol 5 or lower"
    )]
    Protocol {
        /// Its number.
        protocol: u8,
        /// Where.
        byte: u64,
    },
    /// An opcode without the values that it works on.
    #[error("{opcode} at byte {byte} has nothing to work on; copy the file again")]
    Stack {
        /// Python's name of it.
        opcode: &'static str,
        /// Where.
        byte: u64,
    },
    /// A value that was never put into the memo.
    #[error(
        "the pickle uses value {index} at byte {byte}, which it never stored; copy the file again"
    )]
    NoMemo {
        /// The place in the memo.
        index: u64,
        /// Where.
        byte: u64,
    },
    /// Text that should be a number.
    #[error("a number cannot be read at byte {byte}; copy the file again")]
    Number {
        /// Where.
        byte: u64,
    },
    /// Containers in containers without end.
    #[error(
        "values are nested more than {limit} deep at byte {byte}; a memory snapshot never is, so this is another kind of file"
    )]
    TooDeep {
        /// How deep they may be.
        limit: usize,
        /// Where.
        byte: u64,
    },
    /// More memory than a file of this size has use for.
    #[error(
        "the values up to byte {byte} need far more memory than the file has bytes; this is no memory snapshot"
    )]
    TooLarge {
        /// Where.
        byte: u64,
    },
    /// A container that grew after it was used.
    #[error(
        "a record is filled further at byte {byte} after it was put to use, which no snapshot does; dump the snapshot again"
    )]
    Changed {
        /// Where.
        byte: u64,
    },
    /// The file cannot be read any more.
    #[error("cannot be read behind byte {byte}: {reason}; check the file and its permissions")]
    Io {
        /// Where.
        byte: u64,
        /// What the system says.
        reason: String,
    },
}
