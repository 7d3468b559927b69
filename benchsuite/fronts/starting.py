"""Starts a front before instances that already answer, and ends it."""

import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.fronts.base import Address, FrontAdapter
from benchsuite.fronts.program import CERTIFICATE
from benchsuite.system import folders, programs
from benchsuite.system.account import hand_over
from benchsuite.system.process import Process, running


def make_certificate(path: Path, host: str) -> None:
    """Writes key and certificate for this IP address into one file that only its owner can read."""
    path.touch(mode=0o600)
    key, certificate = path.with_suffix(".key"), path.with_suffix(".crt")
    command = [programs.find_program("openssl") or "openssl", "req", "-x509", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={host}", "-addext", f"subjectAltName=IP:{host}"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    try:
        programs.asked(*command).check_returncode()
        path.write_text(key.read_text() + certificate.read_text())
    except (OSError, subprocess.SubprocessError) as error:
        output = error.stdout or b"" if isinstance(error, subprocess.CalledProcessError) else b""
        *_, last = output.decode(errors="replace").strip().splitlines() or [f"{error}."]
        raise StartError(f"openssl could not make a certificate: {last}") from error
    finally:
        key.unlink(missing_ok=True)
        certificate.unlink(missing_ok=True)


def front(
    adapter: FrontAdapter,
    address: Address,
    upstreams: Sequence[Address],
    *,
    log: Path,
    env: Mapping[str, str],
    marker: str,
    on_cpus: Collection[int] | None = None,
) -> AbstractContextManager[Process]:
    """The front at that address, in `adapter.place.folder`, until the block is left.

    It is ready when an answer of the run, not one of its own, passes through it. Raises
    UnavailableError or UsageError for what can't work on this machine, and StartError with the
    program's own sentence when it refuses its configuration.
    """
    itself = adapter.place.instances
    adapter.ensure_possible(itself.count if itself else len(upstreams))
    folder = adapter.place.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in adapter.config_files(*address, upstreams).items():
        folders.write_private(folder / name, content)
    if adapter.scheme == "https":
        make_certificate(folder / CERTIFICATE, address[0])
    for path in (folder, *folder.iterdir()):
        hand_over(path, adapter.run_as)
    if checking := adapter.check_argv():
        try:
            done = programs.asked(*checking, env=env, folder=folder, run_as=adapter.run_as)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StartError(f"{adapter.name} can't check its configuration: {error}.") from error
        if done.returncode != 0:
            complaint = adapter.complaint_in(done.stdout.decode(errors="replace"))
            raise StartError(f"{adapter.name} refuses its configuration: {complaint}")
    return running(
        adapter.argv(),
        name=adapter.name,
        log=log,
        env=env,
        cwd=folder,
        stop_signal=adapter.stop_signal,
        grace_s=adapter.grace_s,
        marker=marker,
        on_cpus=on_cpus,
        run_as=adapter.run_as,
    )
