import pytest
from django.core.management import call_command


@pytest.fixture
def loadbench(tmp_path, capsys):
    """A function that loads contents as files and gives the lines that were said of them,
    of one without its name.
    """

    def load(*contents):
        files = [tmp_path / f"{number}.json" for number, _ in enumerate(contents)]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content)
        capsys.readouterr()
        call_command("loadbench", *map(str, files))
        said = capsys.readouterr().out.replace(f"{tmp_path}/", "")
        return (said if contents[1:] else said.replace("0.json: ", "")).splitlines()

    return load
