"""A self-signed certificate for one run, made by the openssl program."""

import subprocess
from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.system import programs

MAKE_S = 20.0
DAYS = 2


def make_certificate(path: Path, host: str) -> None:
    """Writes key and certificate for this IP address into one file that only its owner can read."""
    path.touch(mode=0o600)
    key, certificate = path.with_suffix(".key"), path.with_suffix(".crt")
    command = [
        programs.find_program("openssl") or "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
    ]
    command += ["-noenc", "-days", str(DAYS), "-subj", f"/CN={host}"]
    command += ["-addext", f"subjectAltName=IP:{host}"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=MAKE_S, check=True)
        path.write_text(key.read_text() + certificate.read_text())
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines() or [str(error)]
        raise StartError(f"openssl could not make a certificate: {said[-1]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartError(f"openssl could not make a certificate: {error}.") from error
    finally:
        key.unlink(missing_ok=True)
        certificate.unlink(missing_ok=True)
