"""Write the wheel of a platform: the package, and the program for it. Needs Go and nothing from a network.

    python3 python/wheel.py --out dist                      the platform of this machine
    python3 python/wheel.py --out dist --platform all       every platform
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent

# The program is static: it needs no C library, and so runs with any.
PLATFORMS = {
    "linux/amd64": "manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

METADATA = """Metadata-Version: 2.1
Name: tattle
Version: {version}
Summary: Measure what a machine-learned model gives away about its inputs
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{readme}"""


def build(platform: str, program: str) -> None:
    """Build the program of a platform."""
    system, machine = platform.split("/")
    env = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine}
    subprocess.run(["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/tattle"], cwd=HERE.parent, env=env, check=True)


def write(out: pathlib.Path, version: str, platform: str, program: pathlib.Path) -> pathlib.Path:
    """Write a wheel. The same files give the same bytes."""
    tags = PLATFORMS[platform]
    info = f"tattle-{version}.dist-info/"
    name = "tattle.exe" if platform.startswith("windows") else "tattle"
    files = {f"tattle/{p.name}": p.read_bytes() for p in sorted((HERE / "tattle").iterdir()) if p.is_file()}
    files[f"tattle/bin/{name}"] = program.read_bytes()
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    files[info + "METADATA"] = METADATA.format(version=version, readme=readme).encode()
    files[info + "LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: tattle\nRoot-Is-Purelib: false\n"
                             + "".join(f"Tag: py3-none-{t}\n" for t in tags.split("."))).encode()
    files[info + "entry_points.txt"] = b"[console_scripts]\ntattle = tattle.__main__:main\n"
    record = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b'=').decode()},{len(b)}" for path, b in files.items()]
    files[info + "RECORD"] = "\n".join([*record, info + "RECORD,,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"tattle-{version}-py3-none-{tags}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for path, b in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            z.writestr(entry, b)
    return wheel


def main() -> None:
    """Write the wheels that are asked for."""
    here = subprocess.run(["go", "env", "GOOS", "GOARCH"], capture_output=True, text=True, check=True).stdout.split()
    parser = argparse.ArgumentParser(description="Write the wheel of a platform.")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"))
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--platform", choices=[*PLATFORMS, "all"], default="/".join(here))
    parser.add_argument("--program", type=pathlib.Path, help="a program that is built already")
    args = parser.parse_args()
    for platform in PLATFORMS if args.platform == "all" else [args.platform]:
        with tempfile.TemporaryDirectory() as scratch:
            program = args.program or pathlib.Path(scratch, "tattle")
            if args.program is None:
                build(platform, str(program))
            print(write(args.out, args.version, platform, program))


if __name__ == "__main__":
    main()
