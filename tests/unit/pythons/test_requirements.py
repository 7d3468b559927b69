"""Requirements files: what of them matters, and when two ask for the same."""

from benchsuite.pythons.building import Requirements


def test_values(golden):
    golden.values()


def test_files(golden, tmp_path):
    (tmp_path / "sub").mkdir()

    def case(name, **files):
        for file, content in files.items():
            place = tmp_path / f"{file.replace('__', '/')}.txt"
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        wanted = Requirements.read(tmp_path / name)
        return wanted.lines, wanted.constraints, wanted.digest

    golden.cases(case, replace={str(tmp_path): "HERE"})
