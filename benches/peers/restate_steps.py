"""Restate: its server as it is shipped, and one service whose handler is a row of steps that return 256
bytes. The server and the service are on this machine and talk over the loopback interface."""

import asyncio
import fcntl
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import restate
from hypercorn.asyncio import serve
from hypercorn.config import Config

from timing import Waits, Watch, arguments

SERVER = os.environ["RESTATE_SERVER"]
TICKS = os.sysconf("SC_CLK_TCK")

args = arguments()
# Whoever waits for a session to end holds one of these.
callers = ThreadPoolExecutor(max_workers=args.sessions)
waits = Waits()
service = restate.Service("Steps")


async def step(session: int) -> str:
    return waits.step(session)


@service.handler()
async def run(ctx: restate.Context, order: dict) -> None:
    for _ in range(order["steps"]):
        await ctx.run_typed("step", step, session=order["session"])


def raise_loopback():
    """In a network of its own, where nothing but the loopback interface can be reached, that is down at
    first. The server looks for newer releases of itself, and has no setting against it."""
    interface = struct.pack("16sh", b"lo", 0x1 | 0x40)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, interface)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(port, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    if response.status >= 300:
        raise OSError(f"{path}: {response.status} {answer.decode()}")
    return answer


def start_server(ingress, admin):
    environment = dict(
        os.environ,
        RESTATE_DISABLE_TELEMETRY="true",
        RESTATE_ADMIN__DISABLE_WEB_UI="true",
        RESTATE_LISTEN_MODE="tcp",
        RESTATE_BIND_IP="127.0.0.1",
        RESTATE_ADVERTISED_HOST="127.0.0.1",
        RESTATE_BIND_PORT=str(free_port()),
        RESTATE_INGRESS__BIND_PORT=str(ingress),
        RESTATE_ADMIN__BIND_PORT=str(admin),
        RESTATE_LOG_FILTER="error",
    )
    log = open(os.path.join(args.folder, "server.log"), "wb")
    command = [SERVER, "--no-logo", "--base-dir", os.path.join(args.folder, "restate")]
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


async def post_when_up(port, path, body):
    """The server takes a while to begin."""
    until = time.monotonic() + 90
    while True:
        try:
            return await asyncio.to_thread(post, port, path, body)
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.2)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def main():
    raise_loopback()
    ingress, admin, endpoint = free_port(), free_port(), free_port()
    config = Config()
    config.bind = [f"127.0.0.1:{endpoint}"]
    config.accesslog = config.errorlog = None
    ended = asyncio.Event()
    serving = asyncio.create_task(serve(restate.app([service]), config, shutdown_trigger=ended.wait))
    server = start_server(ingress, admin)
    try:
        await post_when_up(admin, "/deployments", {"uri": f"http://127.0.0.1:{endpoint}"})
        # One that does not count: the first one waits for things that are set up once.
        await post_when_up(ingress, "/Steps/run", {"session": -1, "steps": 1})
        before, watch = cpu_seconds(server.pid), Watch()
        orders = [{"session": number, "steps": args.steps} for number in range(args.sessions)]
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(callers, post, ingress, "/Steps/run", order) for order in orders))
        watch.report(args.sessions * args.steps, waits, cpu_seconds(server.pid) - before)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        ended.set()
        await serving


asyncio.run(main())
