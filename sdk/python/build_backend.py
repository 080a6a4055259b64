"""
Builds the package with the standard library only: a build backend (PEP 517) for `pip install`, and a program:

    python3 sdk/python/build_backend.py [FOLDER]

writes the wheel and the source archive to FOLDER (`sdk/python/dist` by default). The same source gives the same bytes: files are
sorted, and have one time and one mode. SOURCE_DATE_EPOCH sets the time; it is 1980 by default, the first that zip can hold.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import sys
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
EARLIEST = 315_532_800  # 1980-01-01


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """The hook of PEP 517."""
    project = _project()
    info = f"{project['name']}-{project['version']}.dist-info"
    files = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in _sources()}
    files[f"{info}/METADATA"] = _metadata(project)
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: atrium\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/licenses/LICENSE"] = (FOLDER / "LICENSE").read_bytes()
    rows = [f"{name},sha256={_hash(content)},{len(content)}\n" for name, content in sorted(files.items())]
    files[f"{info}/RECORD"] = f"{''.join(rows)}{info}/RECORD,,\n".encode()
    name = f"{project['name']}-{project['version']}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(_time())[:6])
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, on every system
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The hook of PEP 517."""
    project = _project()
    root = f"{project['name']}-{project['version']}"
    files = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in _sources()}
    for name in ("LICENSE", "README.md", "build_backend.py", "pyproject.toml"):
        files[name] = (FOLDER / name).read_bytes()
    files["PKG-INFO"] = _metadata(project)
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size, entry.mtime, entry.mode = len(content), _time(), 0o644
            archive.addfile(entry, io.BytesIO(content))
    target = Path(sdist_directory) / f"{root}.tar.gz"
    with open(target, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=_time()) as packed:
        packed.write(plain.getvalue())
    return target.name


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def _sources() -> list[Path]:
    return sorted(path for path in (FOLDER / "atrium").rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def _metadata(project: dict[str, Any]) -> bytes:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        "Description-Content-Type: text/markdown; charset=UTF-8",
    ]
    return ("\n".join(lines) + "\n\n" + (FOLDER / "README.md").read_text("utf-8")).encode()


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _time() -> int:
    return max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER / "dist").resolve()
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(str(target)))
    print(target / build_sdist(str(target)))
