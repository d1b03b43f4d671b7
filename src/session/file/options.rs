//! What of the files was loaded, in a session file: the fields of the dialog.

use crate::session::OpenForm;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct StoredOptions {
    no_python: bool,
    no_cpu_rows: bool,
    ranks: String,
    range: String,
    memory: String,
    align_collectives: bool,
    shifts: String,
}

impl From<OpenForm> for StoredOptions {
    fn from(form: OpenForm) -> Self {
        let OpenForm {
            no_python,
            no_cpu_rows,
            ranks,
            range,
            memory,
            align_collectives,
            shifts,
        } = form;
        Self {
            no_python,
            no_cpu_rows,
            ranks,
            range,
            memory,
            align_collectives,
            shifts,
        }
    }
}

impl From<StoredOptions> for OpenForm {
    fn from(stored: StoredOptions) -> Self {
        Self {
            no_python: stored.no_python,
            no_cpu_rows: stored.no_cpu_rows,
            ranks: stored.ranks,
            range: stored.range,
            memory: stored.memory,
            align_collectives: stored.align_collectives,
            shifts: stored.shifts,
        }
    }
}
