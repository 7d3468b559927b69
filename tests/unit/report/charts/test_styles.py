"""One look for each server, and another for each cell."""

from itertools import combinations

import pytest

from benchsuite.report.charts.styles import COLOURS, COMPARED_MOST, styles

LEAST_CONTRAST = 3.0
"""Of a line with the page, as WCAG 2.2 asks of graphics."""
LEAST_APART = 10.0
"""Distance in OKLab × 100; from about 2 on two areas side by side are told apart."""
PAGES = ("#ffffff", "#121212")


def linear(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]


def luminance(colour):
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def oklab(colour):
    """Björn Ottosson, A perceptual color space for image processing, 2020."""
    red, green, blue = linear(colour)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_colour_is_seen_on_the_light_page_and_on_the_dark(page):
    for colour in COLOURS:
        darker, lighter = sorted((luminance(colour), luminance(page)))
        assert (lighter + 0.05) / (darker + 0.05) >= LEAST_CONTRAST, colour


def test_every_two_colours_lie_apart():
    for one, other in combinations(COLOURS, 2):
        steps = zip(oklab(one), oklab(other), strict=True)
        assert 100 * sum((a - b) ** 2 for a, b in steps) ** 0.5 >= LEAST_APART, (one, other)


def test_the_servers_compared_most_keep_the_first_colours_on_every_page():
    together = dict(zip(COMPARED_MOST, styles(COMPARED_MOST), strict=True))
    assert [look.colour for look in together.values()] == list(COLOURS[: len(COMPARED_MOST)])
    for server, look in together.items():
        assert styles(["bjoern", server, server])[1] == look


def test_values(golden):
    golden.values()
