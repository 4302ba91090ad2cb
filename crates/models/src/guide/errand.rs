//! What the guide does with tools when it is asked to: one call after the other, and then what
//! came of it. What to do next follows from the request alone.

use engine::{ModelRequest, RequestMessage};

use super::script::words;

/// What is shown of a result: enough to see what it is.
const SHOWN_LINES: usize = 20;
const SHOWN_CHARS: usize = 1_500;

/// Something to do with tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    /// Look at the files of the session.
    Look,
    /// Write a file, which asks for an approval, and read it back.
    Note,
    /// All of it.
    Tour,
    /// Speak slowly, so that a person can stop it, come back and resume. No tool is needed.
    Practise,
}

/// What is said next, and what is called then.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) call: Option<&'static Step>,
}

/// One call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The tool.
    pub(super) tool: &'static str,
    /// Its arguments.
    pub(super) arguments: &'static str,
    /// What is said before it.
    intro: &'static str,
}

const LIST: Step = Step {
    tool: "list_files",
    arguments: "{}",
    intro: "\
I call a tool: `list_files` looks into the folder of this session. It changes nothing, so nobody needs to \
be asked.",
};

const WRITE: Step = Step {
    tool: "write_file",
    arguments: concat!(
        r##"{"path":"guide-note.md","content":"# A note from the guide\n\n"##,
        r##"This file was written by a tool call that was allowed.\n"}"##
    ),
    intro: "\
Now a tool that changes something: `write_file` will write a small note. Unless a rule of yours allows it, \
the call waits for you. Look at what it would do, then allow it or deny it. Both are fine.",
};

const READ: Step = Step {
    tool: "read_file",
    arguments: r#"{"path":"guide-note.md"}"#,
    intro: "That went through. To be sure, I read the file back with `read_file`.",
};

/// Long enough to be stopped at a human pace, and true wherever that happens.
const PRACTICE: &str = "\
Good: nothing can go wrong here. I am going to count, slowly, and you stop me.

1. One. Press `Esc` now, or the *Stop* button. What you have read stays, marked as cut off.
2. Two. Still here? There is no hurry; the button is beside the field you write in.
3. Three. A stop is written down before the button comes back, so even a power cut cannot undo it.
4. Four. When it is stopped, *Resume* asks me again from what is whole. I begin once more from one, below \
what was kept: nothing of it is rewritten.
5. Five. *Discard* gives the run up instead, and keeps the text.
6. Six. You can also close the window now, or end the app in whatever way you like.
7. Seven. When you open it again, the resume panel lists this run, and waits for you.
8. Eight. If you write something new instead of resuming, the halted run is given up, and you have a fresh one.
9. Nine. A call that waits for your approval waits through all of this too: it asks again, and it is never \
carried out twice.
10. Ten. You let me finish, so this run is completed, and there is nothing to resume. Ask again to have \
another go.";

impl Errand {
    /// The errand that a message asks for, if it asks for one.
    pub(super) fn asked_for(question: &str) -> Option<Self> {
        let words = words(question);
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let wants_to_see = has(&["show", "try", "see", "use", "demonstrate", "demo"]);
        if has(&["tour"]) {
            Some(Self::Tour)
        } else if (wants_to_see || has(&["practise", "practice", "let", "learn"]))
            && has(&["stop", "stopping", "resume", "resuming"])
        {
            Some(Self::Practise)
        } else if (has(&["write", "make", "save", "create"]) && has(&["note", "notes", "file"]))
            || (wants_to_see && has(&["approval", "approvals", "approve", "approving"]))
        {
            Some(Self::Note)
        } else if (wants_to_see || has(&["list"]))
            && has(&["tool", "tools", "file", "files", "folder", "workspace"])
        {
            Some(Self::Look)
        } else {
            None
        }
    }

    const fn steps(self) -> &'static [Step] {
        match self {
            Self::Look => &[LIST],
            Self::Note => &[WRITE, READ],
            Self::Tour => &[LIST, WRITE, READ],
            Self::Practise => &[],
        }
    }

    const fn farewell(self) -> &'static str {
        match self {
            Self::Look => {
                "That is all there is to a call that only reads. Ask me to *write a note*, and you \
                 will see one that asks you first."
            }
            Self::Note => {
                "The call, your decision and the result were each written down before anything else \
                 happened. The card of the call shows what it changed, and can undo it."
            }
            Self::Tour => {
                "That was the tour: a call that reads, one that asks, and one that looks at what came \
                 of it. Each was written down before it ran.\n\nNext, ask me *what happens if I pull \
                 the plug*, or *let me practise stop and resume* to try it on."
            }
            Self::Practise => "",
        }
    }

    /// What comes next, or nothing if a tool for the first step is missing. Only tools of the
    /// request are called.
    pub(super) fn next(self, request: &ModelRequest) -> Option<Turn> {
        if self == Self::Practise {
            return Some(end(PRACTICE.to_owned()));
        }
        let has_tool = |step: &&Step| request.tools.iter().any(|tool| tool.name == step.tool);
        let mut steps = self.steps().iter().take_while(has_tool).peekable();
        steps.peek()?;
        let results = results_since_question(request);
        let Some(last) = results.last() else {
            return steps.next().map(|step| begin(String::new(), step));
        };
        if last.is_error {
            return Some(end(format!(
                "`{}` was not carried out. This came back:\n\n{}\n\nThat is how a call ends that is \
                 denied or that fails: it does nothing, and I am told why. Ask me again whenever you \
                 like.",
                last.tool,
                quoted(last.text)
            )));
        }
        let shown = format!("This came back:\n\n{}", quoted(last.text));
        match steps.nth(results.len()) {
            // What a file tool says of its own success is on its card already.
            Some(step) if last.tool == WRITE.tool => Some(begin(String::new(), step)),
            Some(step) => Some(begin(format!("{shown}\n\n"), step)),
            None => Some(end(format!("{shown}\n\n{}", self.farewell()))),
        }
    }
}

fn begin(before: String, step: &'static Step) -> Turn {
    Turn {
        text: before + step.intro,
        call: Some(step),
    }
}

const fn end(text: String) -> Turn {
    Turn { text, call: None }
}

struct Outcome<'a> {
    tool: &'a str,
    text: &'a str,
    is_error: bool,
}

fn results_since_question(request: &ModelRequest) -> Vec<Outcome<'_>> {
    let mut results = Vec::new();
    for message in request.messages.iter() {
        match message {
            RequestMessage::User { .. } => results.clear(),
            RequestMessage::Agent { .. } => {}
            RequestMessage::Result {
                call_id: _,
                tool,
                text,
                is_error,
            } => results.push(Outcome {
                tool,
                text,
                is_error: *is_error,
            }),
        }
    }
    results
}

/// The beginning of a result as a block of text. Whatever is in it stays inside.
fn quoted(text: &str) -> String {
    let mut shown: String = text
        .lines()
        .take(SHOWN_LINES)
        .collect::<Vec<_>>()
        .join("\n")
        .chars()
        .take(SHOWN_CHARS)
        .collect();
    if shown.len() < text.trim_end().len() {
        shown.push_str("\n…");
    }
    let fence = "`".repeat(longest_run_of_backticks(&shown).max(2) + 1);
    format!("{fence}text\n{shown}\n{fence}")
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
