"""Replaces a storage of the project that may keep its files anywhere."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage
from django.utils.module_loading import import_string


def storage_of_the_run(*, original: str, options: Mapping[str, Any], place: str) -> Storage:
    """The original with another folder if it keeps files in one, else a storage that does.

    Nothing is requested from remote buckets.
    """
    kind = import_string(original)
    if not (isinstance(kind, type) and issubclass(kind, FileSystemStorage)):
        return FileSystemStorage(location=place)
    made: Any = kind(**options)
    if Path(made.location).is_relative_to(os.path.abspath(settings.MEDIA_ROOT)):
        return cast(Storage, made)  # with the uploads, which are a copy of the project's
    for name in ("base_location", "location"):  # cached properties
        made.__dict__.pop(name, None)
    made._location = place
    if os.path.abspath(made.location) != os.path.abspath(place):  # it has a property of its own
        return FileSystemStorage(location=place)
    storage: Storage = made
    return storage
