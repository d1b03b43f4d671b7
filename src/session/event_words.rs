//! The words of the selected event, once they were read from its file, and what it launched.

use super::{Details, Session, Words};
use crate::classify::Rules;
use crate::ingest::EventText;
use crate::metrics::Launched;
use crate::trace::SliceRef;

impl Session {
    /// Takes what was read, if its slice is still the selected one.
    pub(super) fn event_read(
        &mut self,
        slice: SliceRef,
        text: Result<EventText, String>,
        launched: Option<Launched>,
    ) {
        if self.selection != Some(slice) {
            return;
        }
        self.launched = launched;
        self.details = match text {
            Ok(text) => {
                let rule = self.rule_of(slice, &text);
                Details::Ready(slice, Words { text, rule })
            }
            Err(why) => Details::Failed(slice, why),
        };
    }

    /// What decided the class of GPU work, told from the event's own words.
    fn rule_of(&self, slice: SliceRef, text: &EventText) -> Option<String> {
        let trace = self.trace.as_ref()?;
        let event = trace.slice(slice)?;
        event.class()?;
        let name = trace.names.get(event.name());
        rule_for(&self.rules, name, text)
    }
}

/// The rule that decides the class of an event with these words, the way loading did.
fn rule_for(rules: &Rules, name: &str, text: &EventText) -> Option<String> {
    let stated = text.args.iter().rfind(|(key, _)| key == "Collective name");
    let has_collective = stated.is_some_and(|(_, value)| value != "null");
    let verdict = rules.classify(text.gpu_kind()?, name, has_collective);
    Some(verdict.rule.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_is_told_is_the_one_that_loading_used() {
        let rules = Rules::builtin();
        let rule = |category: &str, args: &[(&str, &str)]| {
            let text = EventText {
                category: category.to_owned(),
                args: args
                    .iter()
                    .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                    .collect(),
                raw: String::new(),
            };
            rule_for(&rules, "my_gemm", &text)
        };
        let plain = rule("kernel", &[]);
        assert_eq!(rule("Concurrent_Kernel", &[]), plain);
        assert_eq!(rule("kernel", &[("Collective name", "null")]), plain);
        assert_ne!(rule("kernel", &[("Collective name", "allreduce")]), plain);
        assert_ne!(rule("gpu_memcpy", &[]), plain);
        assert_eq!(rule("Memcpy", &[]), rule("gpu_memcpy", &[]));
        // No GPU work, whatever it has in its name.
        assert_eq!(rule("my_memcpy_wrapper", &[]), None);
    }
}
