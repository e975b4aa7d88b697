"""A writer that is not called by its name where it stands: what it writes can't be told, and so it is never "nothing"."""

import pytest

from coordhooks.targets.shell import judge

DOUBTED = (
    """perl -e 'open F,">","a.py"; print F 1'""",
    """perl -ne 'open F,">a.py"; print F 1' x""",
    """python3 -c "f=open; f('a.py','w').write('x')" """,
    """python3 -c "from builtins import open as o; o('a','w')" """,
    """python3 -c "import os; r=os.remove; r('a')" """,
    """python3 -c "import pathlib; list(map(pathlib.Path.unlink, [pathlib.Path('a')]))" """,
    """node -e 'const fs=require("fs"); const w=fs.writeFileSync; w("a","b")'""",
    '''sed -i "''',  # a quote that nothing closes
)
READING = (
    """python3 -c "print(open('a').read())" """,
    """perl -e 'open(my $f, "<", "a"); print <$f>'""",
    """node -e 'const {readFileSync, writeFileSync} = require("fs"); console.log(readFileSync("a"))'""",
)


@pytest.mark.parametrize("command", DOUBTED)
def test_it_cannot_be_told(command: str) -> None:
    assert judge(command, "/", home="/").untold


@pytest.mark.parametrize("command", READING)
def test_what_only_reads_is_cleared(command: str) -> None:
    assert judge(command, "/", home="/").nothing
