//! What the guide can talk about. Plain words, true of the app as it is.

/// One thing to talk about.
#[derive(Debug)]
pub(super) struct Topic {
    /// Lower-case words that speak of it.
    pub(super) words: &'static [&'static str],
    /// Ways to begin.
    pub(super) openings: &'static [&'static str],
    /// What is said, in Markdown.
    pub(super) body: &'static str,
}

/// The more particular topics first. [`WELCOME`] is for when none of them is meant.
pub(super) fn topics() -> &'static [Topic] {
    &[
        STORY, PLUG, STOP, TOOLS, MODELS, QUEUE, DATA, HEADLESS, FORMAT, WHO, LATER, AGENTS,
    ]
}

pub(super) const WELCOME: Topic = Topic {
    words: &[
        "hello", "hi", "hey", "help", "do", "can", "start", "begin", "tour", "what", "how", "holdfast",
        "welcome", "thanks", "thank",
    ],
    openings: &[
        "Hello! I am the built-in guide. My replies are scripted, and I know one subject: Holdfast.",
        "Welcome aboard. I am the guide: a small scripted helper that knows its way around Holdfast.",
    ],
    body: "\
Holdfast keeps sessions with an agent on your own computer, and it keeps them **safe at every instant**. \
Each piece of this reply was in the database before you saw it.

Some things to try right now:

1. **Start another session** with `Ctrl N` while I go on here. The list on the left keeps every one.
2. **Press Esc** in the middle of a reply. It stops at once, and *Resume* picks it up again.
3. **Close the window, or pull the plug**, while I am talking. Open Holdfast again: what you had read is \
still there, and it offers to go on.
4. **Ask for *the tour***: I use real tools, and you decide whether I may.

Or ask me *what happens if I pull the plug*, *where is my data kept*, or for *a long story about the sea* \
if you want something to interrupt.",
};

const PLUG: Topic = Topic {
    words: &[
        "plug", "crash", "crashes", "crashed", "kill", "killed", "power", "lost", "lose", "loses",
        "durable", "safe", "survive", "recover", "recovery", "battery", "happens", "interrupted",
    ],
    openings: &[
        "Pull the plug. Really: this is the one thing Holdfast is named for.",
        "Nothing you have seen goes away when you pull the plug. Here is why.",
    ],
    body: "\
A holdfast is what keeps seaweed on its rock in a storm. Here is what keeps your sessions:

- **Written first, shown second.** A message, a reply, a piece of streamed text: each is in the database \
before it is on the screen.
- **One step, one transaction.** There is no half-written state to come back to.
- **Nothing is guessed.** After a crash, a reply that was cut off is shown as cut off, with everything that \
had arrived. It is never passed off as whole.

| what ends the app | what you may miss |
|---|---|
| closing it, a crash, `kill -9` | nothing |
| a power cut | at most the last second of text that was streaming |

When you open Holdfast again, the resume panel lists what was interrupted. *Resume* asks the model again \
from what is whole, and no call that is done is done again; *Discard* gives that run up and keeps the text.

Try it: ask me for a long story, and end the app in the middle.",
};

const STOP: Topic = Topic {
    words: &["stop", "stops", "stopping", "pause", "resume", "cancel", "discard", "continue", "halt", "esc"],
    openings: &[
        "You are always in charge of a run.",
        "A run can be halted at any moment, and that costs you nothing.",
    ],
    body: "\
- **Stop** (or press `Esc`) halts the reply at once. What has arrived is kept and marked.
- **Resume** goes on: the model is asked again, and the new reply stands below the kept part.
- **Discard** ends the run for good. The kept text stays in the session.
- **A new message** instead of a resume also gives the halted run up, and starts a new one.

A stop is on disk before the button comes back. If the app ends right after it, the run is still stopped \
when you return.

To try it without any harm: *let me practise stop and resume*.",
};

const DATA: Topic = Topic {
    words: &[
        "data", "where", "kept", "stored", "store", "folder", "file", "files", "privacy", "private", "backup",
        "backups", "database", "sqlite", "delete", "cloud", "network",
    ],
    openings: &[
        "On your computer, in one folder, and nowhere else.",
        "Everything stays with you, in one data folder.",
    ],
    body: "\
The data folder holds all of it:

- `holdfast.db`: every session, message and run, in one SQLite database
- `backups/`: verified copies, made once a day and before every change of format
- `workspaces/`: the files that tools wrote, a folder for each session
- `logs/`: what happened, without your texts, capped in size
- `damaged/`: should a database ever be unreadable, it is kept here, never overwritten

Only your own account can read these files. As the guide I use no network at all.

You can choose another folder with `holdfast --data DIR`. Two windows never share one folder: a second \
start brings the first window to the front.",
};

const HEADLESS: Topic = Topic {
    words: &["headless", "script", "scripts", "terminal", "automate", "api", "json", "command", "editor", "stdin"],
    openings: &[
        "Everything the window does can be done without a window.",
        "Yes: Holdfast has a headless mode for scripts and editors.",
    ],
    body: "\
Start it with a data folder of its own and speak JSON, one object a line:

```sh
holdfast headless --data ./scratch
```

```json
{\"id\": \"1\", \"command\": {\"type\": \"start_run\", \"text\": \"Hello\"}}
```

Each command gets one reply. After `subscribe`, events and streamed text follow, and all of it is committed \
before you read it. A line that is not understood gets an error and ends nothing.",
};

const FORMAT: Topic = Topic {
    words: &[
        "format",
        "markdown",
        "table",
        "code",
        "list",
        "formatting",
        "example",
    ],
    openings: &[
        "Replies are Markdown. A small sampler:",
        "Here is what replies can look like.",
    ],
    body: "\
## A heading

Some **bold**, some *italic*, some ~~struck~~ and some `inline code`.

> A quotation, for when somebody else said it better.

- [x] a task that is done
- [ ] one that is not

| tide | time | height |
|---|---|---:|
| low | 04:12 | 0.6 m |
| high | 10:31 | 4.9 m |

```rust
fn main() {
    let tides = [0.6, 4.9];
    println!(\"{} m between low and high\", tides[1] - tides[0]);
}
```

1. Links show where they lead and open nothing by themselves.
2. Pictures from elsewhere are not loaded.
3. HTML is shown as text: <b>like this</b>.",
};

const WHO: Topic = Topic {
    words: &["who", "model", "ai", "scripted", "real", "bot", "intelligent"],
    openings: &[
        "I am the guide: a script, and no language model.",
        "There is no language model behind me. I am a script that comes with the app.",
    ],
    body: "\
I look for words that I know in your message and answer with a text that was written in advance. That is \
why every reply of mine carries the label *scripted replies*.

What is real is everything around me: your message, the run, each streamed piece and each stop go the same \
way that they would with any model, through the same database. So I am a good one to practise with.",
};

const MODELS: Topic = Topic {
    words: &[
        "models", "provider", "providers", "key", "keys", "connect", "openai", "claude", "anthropic", "gpt",
        "gemini", "openrouter", "ollama", "lm", "studio", "llama", "local", "offline", "cost", "price", "switch",
    ],
    openings: &[
        "You choose who answers, and you can change your mind in the middle of a session.",
        "Any model you have a key for can answer here, and so can one on your own computer.",
    ],
    body: "\
- **On this computer**: start Ollama, LM Studio or a llama.cpp server. Holdfast finds it and offers its models. \
Nothing leaves your computer then, and nothing is chosen for you.
- **With a key**: open *Models*, add the service, paste the key and press *Test*. It says exactly what is wrong, \
if something is. The key goes to the keychain of your system, and is never shown again.
- **Switch** with the name beside the field you write in. The next run has the new model; what was written \
keeps the name of whoever wrote it.
- **What it costs** is shown where the provider says it, or where prices are known. What is not known is shown as \
unknown, not as nothing.

When a service is overloaded, the run waits and tries again by itself. When a key is refused or there is no \
credit left, everything that wants it waits until you have mended that. Either way nothing is lost.",
};

const TOOLS: Topic = Topic {
    words: &[
        "tool", "tools", "approve", "approval", "approvals", "deny", "denied", "allow", "rule", "rules", "undo",
        "note", "workspace", "doubt", "permission",
    ],
    openings: &[
        "Tools are what an agent can do besides talking.",
        "An agent can do more than talk: it can call tools.",
    ],
    body: "\
- **Looking** (`list_files`, `read_file`) happens at once, inside the folder of the session and nowhere else.
- **Changing** (`write_file`) waits for you. You see what would be written, and allow it once, in this session, \
always, or not at all.
- **Rules** remember what you allowed or denied. You can take each of them back.
- **Undo** puts a file back to what it was, as long as nobody changed it since.

Each call is written down before it runs. If the app ends in the middle of one, Holdfast looks at what is \
known: a call that can be repeated without harm is repeated, and one that cannot is shown as *in doubt* until \
you decide. No call is done twice behind your back.

Try it: *show me tools*, *show me an approval*, or *the tour*.",
};

const AGENTS: Topic = Topic {
    words: &["agent", "agents", "instructions", "budget", "limit", "limits"],
    openings: &[
        "An agent is a named set of choices.",
        "Agents are for different kinds of work.",
    ],
    body: "\
It holds a name, the instructions that the model is told first, the model, the tools that it may use, and what \
one run may spend. Every session has one; there is always one to begin with.

A run keeps the choices that it was started with. What you edit counts from the next run on.",
};

const QUEUE: Topic = Topic {
    words: &["queue", "queued", "wait", "edit", "regenerate", "fork", "branch", "branches"],
    openings: &[
        "You need not wait for a reply, and you can go back.",
        "A session is not a one-way street.",
    ],
    body: "\
- **Write on** while a run is going: your message is queued, and it starts the next run. Until then you can \
edit it or take it back.
- **Edit or regenerate**: the new version stands beside the old one as a branch, and nothing is lost.
- **Fork** a session from any message to try something else.",
};

const LATER: Topic = Topic {
    words: &["skill", "skills", "mcp"],
    openings: &["Not in this version.", "That is not part of this version."],
    body: "\
Skills from a folder and tools from other programs are not in it. What there is: sessions, runs, tools with \
approvals, stop and resume, and the recovery of all of it.",
};

const STORY: Topic = Topic {
    words: &["story", "long", "sea", "tale", "ocean", "seaweed", "kelp", "storm"],
    openings: &[
        "A long one, then. Interrupt me whenever you like: that is half the point.",
        "Settle in. And feel free to pull the plug in the middle.",
    ],
    body: "\
# The lighthouse at Marrow Point

On Marrow Point there was a lighthouse, and in the lighthouse there was a ledger. The keeper, whose name was \
Ines Calder, wrote in it every hour: the wind, the swell, the ships that passed, and whether the lamp had \
burned. She wrote each line *before* she did the thing, in pencil, and went over it in ink when it was done.

\"Why twice?\" asked the boy who brought the oil.

\"Because of the hour in between,\" said Ines. \"If I fall down the stairs with the can in my hand, whoever \
comes after me will open the book. If there is nothing, they will think that nothing was begun. If it is in \
ink, they will think that it was finished. A line in pencil says: *this was started, go and look*.\"

The boy thought that this was a great deal of trouble for a lamp.

## The night of the long swell

In November the swell came. It came from a storm so far away that the sky over the point was full of stars, \
and it came in hills. The kelp forest under the cliff, which had stood there since before the tower, lay \
down and stood up and lay down again, and every plant in it held on to its own stone.

At the third hour the glass in the lower window broke. At the fourth, water came up the stairs. Ines wrote, \
in pencil: *Fourth hour. Going down to close the sea door.* She did not go over it in ink.

They found the boat in the morning, and the sea door closed, and the lamp burning. They did not find Ines \
until noon, on the other side of the point, sitting on a rock with a broken wrist and a very bad temper. The \
door had taken her with it when it shut.

The boy had kept the lamp. He had come up at the fifth hour, because he had seen from the village that the \
light had missed a turn. He had opened the book, and found the line in pencil.

\"So I knew three things,\" he told her. \"That you had gone down. That you had not come back. And that I did \
not know about the door.\"

\"And what did you do about the door?\"

\"I went and looked.\"

## What the kelp knows

A kelp plant has no roots. What it has is called a holdfast: a fist of small fingers that closes around a \
stone and does not feed on it, does not bore into it, and does not let go. In a storm the fronds may tear. \
The stalk may be stripped to a cord. In spring, from what is left above the fist, it grows again; and it \
grows from where it was, not from the beginning.

Ines kept the light for eleven more years, with the boy, and then the boy kept it, with a girl from the \
harbour who thought that pencil was a great deal of trouble.

The ledger is still there. If you turn to that November you can see the line. *Going down to close the sea \
door.* It is in pencil to this day. Beside it, in another hand and in ink, there is one word:

**Closed.**",
};

pub(super) const FALLBACK: Topic = Topic {
    words: &[],
    openings: &[
        "I do not have an answer to that: my replies are scripted, and Holdfast is all they are about.",
        "To that I do not have an answer. I am a scripted guide, and I only know Holdfast.",
    ],
    body: "\
Here is what I can tell you about:

- what Holdfast can do
- what happens if you pull the plug
- how to stop and resume, or *let me practise stop and resume*
- tools and approvals, or *the tour* to see them at work
- models, keys and models on your own computer
- agents, the queue and branches
- where your data is kept
- how to use it from scripts
- how replies can be formatted
- a long story about the sea

Your message is kept all the same, like everything here.",
};
