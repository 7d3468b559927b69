"""What a Python is, and which distributions it has. Other Pythons run this text, so it must suit
all of them, 2.7 too: comments instead of annotations, and only the standard library.
"""

import json
import platform
import re
import sys
import sysconfig


def facts():
    # type: () -> dict[str, object]
    """Version, build and implementation of the Python that runs this; None is "not known"."""
    gil = getattr(sys, "_is_gil_enabled", None)
    jit = getattr(getattr(sys, "_jit", None), "is_enabled", None)
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "build": " ".join(platform.python_build()),
        "compiler": platform.python_compiler(),
        "build_flags": _build_flags(),
        "debug": hasattr(sys, "gettotalrefcount"),
        "gil": gil() if gil else True,
        "jit": jit() if jit else False,
    }


def _build_flags():
    # type: () -> str | None
    """Flags of configure ("--enable-optimizations --with-lto"), without folders."""
    arguments = sysconfig.get_config_var("CONFIG_ARGS")
    if arguments is None:
        return None
    switches = re.findall(r"--(?:enable|disable|with|without)-[\w-]+(?:=\w+)?", arguments)
    return " ".join(sorted(switches))


def distributions():
    # type: () -> dict[str, str]
    """Name → version; of two with the same name the first one, which is the imported one."""
    versions = {}  # type: dict[str, str]
    try:
        from importlib import metadata
    except ImportError:
        try:
            import pkg_resources  # type: ignore[import-not-found]
        except ImportError:
            return versions
        for old in pkg_resources.working_set:
            versions.setdefault(plain(old.project_name), old.version)
        return versions
    for distribution in metadata.distributions():
        parsed = distribution.metadata  # anew each time it is asked for
        if parsed["Name"]:
            versions.setdefault(plain(parsed["Name"]), parsed["Version"])
    return versions


def version(distribution):
    # type: (str) -> str | None
    """The version of a distribution of the Python that runs this, or None."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def plain(distribution):
    # type: (str) -> str
    return re.sub(r"[-_.]+", "-", distribution).lower()


def itself():
    # type: () -> dict[str, object]
    """Facts, and the folders of scripts, packages, compiled ones and the Python itself."""
    return {
        "facts": facts(),
        "scripts": sysconfig.get_path("scripts"),
        "packages": sysconfig.get_path("purelib"),
        "compiled": sysconfig.get_path("platlib"),
        "prefix": sys.prefix,
        "base": getattr(sys, "base_prefix", sys.prefix),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    }


if __name__ == "__main__":
    answer = dict(itself(), installed=distributions())
    print(json.dumps(answer))  # noqa: T201 - to the Python that asked
