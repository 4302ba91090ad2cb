"""What the clients share: the address and the key they are given, the tool, and how they report."""

import json
import sys

URL, KEY = sys.argv[1], sys.argv[2]
QUESTION = "What is in the file?"
RESULTS = {"c1": "first result", "c2": "second result"}
TOOL = {
    "name": "read_file",
    "description": "Reads a file.",
    "schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}


class Round:
    """One reply as a client understood it."""

    def __init__(self):
        self.text, self.reasoning, self.calls, self.usage = "", "", [], None

    def call(self, call_id, name, arguments):
        """Arguments as text, or as the object that the client made of it."""
        if isinstance(arguments, str):
            arguments = json.loads(arguments)
        self.calls.append({"id": call_id, "name": name, "arguments": arguments})

    def cost(self, tokens_in, tokens_out, cached=None):
        self.usage = {"input": tokens_in, "output": tokens_out, "cached": cached}


def report(rounds, error):
    """Rounds in order, then the name of the error that the client raised for a refused key."""
    print(json.dumps({"rounds": [vars(one) for one in rounds], "error": error}))
