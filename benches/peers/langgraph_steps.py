"""LangGraph with the SQLite checkpointer: one graph run per session, one node that is run again and
again and leaves 256 bytes."""

import os
import sqlite3
import threading
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from timing import Waits, Watch, arguments

args = arguments()
waits = Waits()


class State(TypedDict):
    session: int
    left: int
    result: str


def step(state):
    result = waits.step(state["session"])
    return {"left": state["left"] - 1, "result": result}


builder = StateGraph(State)
builder.add_node("step", step)
builder.add_edge(START, "step")
builder.add_conditional_edges("step", lambda state: "step" if state["left"] > 0 else END)

connection = sqlite3.connect(os.path.join(args.folder, "langgraph.sqlite"), check_same_thread=False)
saver = SqliteSaver(connection)
saver.setup()
if args.safe:
    connection.execute("PRAGMA synchronous=FULL")
graph = builder.compile(checkpointer=saver)
# As shipped the next step begins before the one before it is written; safe means that it waits.
durability = "sync" if args.safe else "async"


def run(session):
    config = {"configurable": {"thread_id": str(session)}, "recursion_limit": args.steps + 10}
    start = {"session": session, "left": args.steps, "result": ""}
    graph.invoke(start, config, durability=durability)


sessions = [threading.Thread(target=run, args=(number,)) for number in range(args.sessions)]
watch = Watch()
for session in sessions:
    session.start()
for session in sessions:
    session.join()
watch.report(args.sessions * args.steps, waits)
