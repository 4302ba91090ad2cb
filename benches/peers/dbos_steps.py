"""DBOS on SQLite: one workflow per session, each a row of steps that return 256 bytes."""

import os

import sqlalchemy
from dbos import DBOS

from timing import Waits, Watch, arguments

args = arguments()
waits = Waits()


if args.safe:
    # As shipped it uses a rollback journal, which is safe too, and slower than this.
    @sqlalchemy.event.listens_for(sqlalchemy.Engine, "connect")
    def write_ahead(connection, _):
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")


DBOS(
    config={
        "name": "steps",
        "system_database_url": f"sqlite:///{os.path.join(args.folder, 'dbos.sqlite')}",
        "log_level": "ERROR",
        "run_admin_server": False,
    }
)


@DBOS.step()
def step(session):
    return waits.step(session)


@DBOS.workflow()
def run(session, steps):
    for _ in range(steps):
        step(session)


DBOS.launch()
watch = Watch()
handles = [DBOS.start_workflow(run, session, args.steps) for session in range(args.sessions)]
for handle in handles:
    handle.get_result()
watch.report(args.sessions * args.steps, waits)
DBOS.destroy()
