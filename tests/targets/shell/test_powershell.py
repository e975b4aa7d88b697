"""PowerShell: literal paths of common cmdlets and redirections; the rest can't be told."""

import pytest

from coordhooks.targets import shell
from coordhooks.targets.shell.verdict import Write

WRITES = {
    "Set-Content -Path src\\a.py -Value 'x'": ["/r/src/a.py"],
    "Set-Content src/a.py 'x'": ["/r/src/a.py"],
    "sc -Value x -LiteralPath 'odd name.txt'": ["/r/odd name.txt"],
    "Add-Content -Path:a.txt -Value b": ["/r/a.txt"],
    "Get-Content a.txt | Out-File -FilePath b.txt -Encoding utf8": ["/r/b.txt"],
    "Get-Content a.txt | Tee-Object b.txt": ["/r/b.txt"],
    "Clear-Content a.txt": ["/r/a.txt"],
    "New-Item -ItemType File -Path a.txt -Force": ["/r/a.txt"],
    "Copy-Item a.txt b.txt": ["/r/b.txt"],
    "Copy-Item -Path a.txt -Destination b.txt": ["/r/b.txt"],
    "Move-Item a.txt b.txt": ["/r/a.txt", "/r/b.txt"],
    "Rename-Item -Path a.txt -NewName b.txt": ["/r/a.txt", "/r/b.txt"],
    "Remove-Item a.txt, b.txt": ["/r/a.txt", "/r/b.txt"],
    "Remove-Item -Recurse -Force src": ["/r/src"],
    "echo hi > o.txt": ["/r/o.txt"],
    "echo hi >> 'o p.txt'; Get-Content x 2> e.txt": ["/r/o p.txt", "/r/e.txt"],
    "cd src; Set-Content a.py x": ["/r/src/a.py"],
    "python3 -c \"open('q','w')\"": ["/r/q"],
    "Set-Content ~/a.txt x": ["/h/a.txt"],
    "Set-Content C:\\x\\a.py y": ["C:/x/a.py"],
}
NOTHING = (
    "Get-Content a.txt",
    "Get-ChildItem -Recurse | Select-String foo",
    "git status",
    "echo hi > $null",
    "Remove-Item a -WhatIf",
    "# Set-Content a",
)
UNTOLD = (
    "Set-Content $path x",
    "Get-ChildItem | ForEach-Object { Remove-Item $_ }",
    "& ./build.ps1",
    "foo",
    "[IO.File]::WriteAllText('a','b')",
    "cd $x; Set-Content a b",
    "Invoke-Expression $c",
    "Remove-Item *.txt",
)


def located(write: Write) -> str:
    return write.path if write.path[1:2] == ":" else write.absolute


@pytest.mark.parametrize("command", WRITES)
def test_literal_paths(command: str) -> None:
    verdict = shell.judge(command, "/r", home="/h", dialect="powershell")
    assert sorted(located(write) for write in verdict.targets) == sorted(WRITES[command]), verdict.untold
    assert not verdict.untold


@pytest.mark.parametrize("command", NOTHING)
def test_reading(command: str) -> None:
    verdict = shell.judge(command, "/r", home="/h", dialect="powershell")
    assert verdict.nothing, verdict.facts()


@pytest.mark.parametrize("command", UNTOLD)
def test_the_rest_cannot_be_told(command: str) -> None:
    assert shell.judge(command, "/r", home="/h", dialect="powershell").untold
