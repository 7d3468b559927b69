"""The cases, one file a group."""

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks import (
    closing,
    control,
    extensions,
    flow,
    forbidden,
    fragments,
    handshakes,
    sizes,
    text,
)

CHECKS: tuple[Check, ...] = (
    *handshakes.CHECKS,
    *extensions.CHECKS,
    *sizes.CHECKS,
    *fragments.CHECKS,
    *control.CHECKS,
    *text.CHECKS,
    *forbidden.CHECKS,
    *closing.CHECKS,
    *flow.CHECKS,
)
