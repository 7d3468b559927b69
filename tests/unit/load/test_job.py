"""What goes over the pipes comes out as it went in."""


def test_values(golden):
    golden.values()
