"""The writers table: which operands of which program are written. Data, one line a program.

``rules`` says how a line is read. To add a program, add a line here (or in ``tools``, if developers install it)
and a command to the corpus of the tests. A program that is in neither table can't be told.
"""

from coordhooks.targets.shell.tools import TOOLS

SYSTEM = {
    # files
    "tee": "all",
    "sponge": "all",
    "touch": "all takes=-d,-t,-r,--date,--reference,--time unless=-c,--no-create",
    "truncate": "all takes=-s,-r,--size,--reference",
    "fallocate": "last takes=-l,-o,--length,--offset",
    "mkfifo": "all takes=-m,--mode",
    "mknod": "first takes=-m",
    "shred": "below takes=-n,-s",
    "chmod": "below skip=1 unless=--reference",
    "chown": "below skip=1",
    "chgrp": "below skip=1",
    "setfacl": "below takes=-m,-x,-M,-X",
    "chattr": "below skip=1",
    "xattr": "reads only=-w",
    "rm": "=rm",
    "unlink": "names",
    "rmdir": "names",
    "mkdir": "makes takes=-m,--mode",
    "cp": "=copy takes=-t,--target-directory,-S,--suffix",
    "mv": "=move takes=-t,--target-directory,-S,--suffix",
    "rename": "=opaque_names",
    "install": "=install takes=-t,--target-directory,-m,--mode,-o,--owner,-g,--group,-S,--suffix",
    "ln": "=link takes=-t,--target-directory,-S,--suffix",
    "link": "second",
    "dd": "=dd",
    "rsync": "=rsync takes=-e,--rsh,--exclude,--include,--exclude-from,--include-from,--files-from,-f,--filter,"
    "--chmod,--chown,--bwlimit,--max-size,--min-size,-T,--temp-dir,--timeout,--port,-M out=--log-file,--write-batch",
    "scp": "last takes=-i,-P,-o,-F,-l,-S,-c,-J",
    "sftp": "opaque",
    "split": "=split takes=-l,-b,-n,-a,-C,-t,--lines,--bytes,--number,--suffix-length,--filter,--additional-suffix",
    "csplit": "=csplit takes=-f,-b,-n,--prefix,--suffix-format,--digits",
    "mktemp": "=mktemp takes=-p,--suffix",
    # text
    "sort": "reads takes=-k,-t,-S,-T,--key,--field-separator,--buffer-size,--temporary-directory,--parallel,"
    "--batch-size,--files0-from out=-o,--output",
    "uniq": "second takes=-f,-s,-w,--skip-fields,--skip-chars,--check-chars",
    "sed": "=sed takes=-e,-f,-l,--expression,--file,--line-length",
    "awk": "=awk", "gawk": "=awk", "mawk": "=awk", "nawk": "=awk",
    "patch": "=patch takes=-p,-d,-i,-D,-B,-z,-Y,-F,-V,-g,-x,--strip,--directory,--input,--suffix,--fuzz,--prefix,"
    "--ifdef,--quoting-style out=-o,--output,-r,--reject-file unless=--dry-run",
    "ed": "=ed", "red": "=ed",
    "ex": "=vi", "vi": "=vi", "vim": "=vi", "nvim": "=vi", "view": "reads",
    "emacs": "opaque", "nano": "all takes=-T,-r", "micro": "all", "code": "opaque",
    "dos2unix": "names takes=-c,-n", "unix2dos": "names takes=-c,-n",
    "expand": "reads", "unexpand": "reads", "iconv": "reads takes=-f,-t out=-o,--output",
    "recode": "names skip=1",
    "ts": "reads", "msgfmt": "folder unless=-o,--output-file,--statistics out=-o,--output-file",
    "tmux": "sub", "tmux ls": "reads", "tmux list-sessions": "reads", "tmux list-windows": "reads", "tmux list-panes": "reads",
    "tmux capture-pane": "reads",
    # archives
    "tar": "=tar", "bsdtar": "=tar", "gtar": "=tar",
    "zip": "=zip", "unzip": "=unzip",
    "gzip": "=squeeze", "gunzip": "=squeeze", "bzip2": "=squeeze", "bunzip2": "=squeeze", "xz": "=squeeze",
    "unxz": "=squeeze", "lzma": "=squeeze", "unlzma": "=squeeze", "zstd": "=squeeze", "unzstd": "=squeeze",
    "lz4": "=squeeze", "compress": "=squeeze", "uncompress": "=squeeze", "pigz": "=squeeze", "lzip": "=squeeze",
    "zcat": "reads", "bzcat": "reads", "xzcat": "reads", "zstdcat": "reads", "gzcat": "reads",
    "zgrep": "reads", "zless": "reads", "zdiff": "reads",
    "cpio": "=cpio", "ar": "=ar", "7z": "=seven", "7za": "=seven", "7zz": "=seven", "unrar": "folder",
    "ranlib": "all", "strip": "names takes=-o,-K,-N,-R,-F out=-o",
    # network
    "curl": "=curl takes=-H,-d,-X,-u,-A,-e,-F,-T,-b,-x,-m,-w,-r,-E,-K,-C,-y,-Y,-z,-Q,-U,--header,--data,"
    "--data-raw,--data-binary,--data-urlencode,--request,--user,--user-agent,--referer,--form,--cookie,--proxy,"
    "--max-time,--connect-timeout,--retry,--retry-delay,--write-out,--range,--cert,--key,--cacert,--resolve,--url,"
    "--json,--config,--interface,--limit-rate,--max-redirs,--retry-max-time,--output-dir,--upload-file "
    "out=-o,--output,-D,--dump-header,-c,--cookie-jar,--trace,--trace-ascii,--stderr,--hsts,--etag-save",
    "wget": "=wget takes=-t,-T,-U,-e,-i,-B,-w,-Q,-l,-A,-R,-D,-X,--header,--user-agent,--timeout,--tries,--user,"
    "--password,--post-data,--post-file,--limit-rate,-P,--directory-prefix,--level,--wait,--referer "
    "out=-O,--output-document,-o,--output-file,-a,--append-output,--save-cookies",
    "aria2c": "folder", "ssh": "reads", "ping": "reads", "nc": "reads", "dig": "reads", "host": "reads",
    "nslookup": "reads", "openssl": "reads out=-out,-keyout dash",
    "ssh-keygen": "reads takes=-t,-b,-C,-N out=-f",
    # finding, and running what was found
    "find": "=find", "fd": "=fd", "fdfind": "=fd", "xargs": "=xargs", "parallel": "=parallel",
    "locate": "reads",
    # commands that run commands
    "env": "=env takes=-u,-C,-S,--unset,--chdir,--split-string stop",
    "sudo": "wrap takes=-u,-g,-p,-C,-h,-U,-r,-t,-D,--user,--group,--prompt", "doas": "wrap takes=-u,-C",
    "timeout": "wrap skip=1 takes=-k,-s,--kill-after,--signal", "gtimeout": "wrap skip=1 takes=-k,-s",
    "nice": "wrap takes=-n,--adjustment", "ionice": "wrap takes=-c,-n,-p", "nohup": "wrap", "setsid": "wrap",
    "stdbuf": "wrap takes=-i,-o,-e,--input,--output,--error", "time": "wrap takes=-f,--format out=-o,--output",
    "chronic": "wrap", "unbuffer": "wrap", "taskset": "wrap skip=1", "chrt": "wrap skip=1", "caffeinate": "wrap",
    "strace": "wrap takes=-e,-p,-s,-u,-E,-a,-I,-O,-S,-P out=-o", "ltrace": "wrap takes=-e,-p,-s out=-o",
    "valgrind": "wrap dash takes=-v", "arch": "wrap", "setarch": "wrap skip=1", "linux64": "wrap",
    "flock": "=flock takes=-w,-E,-c,--timeout,--command stop", "watch": "=watch takes=-n,-d,--interval stop",
    "xvfb-run": "wrap takes=-n,-s,-e,-f,-p", "dbus-run-session": "wrap", "busybox": "wrap", "toybox": "wrap",
    "unshare": "opaque", "chroot": "opaque", "su": "opaque", "runuser": "opaque", "script": "opaque", "at": "opaque",
    "batch": "opaque", "crontab": "opaque", "screen": "opaque", "gdb": "opaque", "expect": "opaque",
    "command": "=command", "builtin": "wrap", "exec": "wrap takes=-a", "eval": "=eval", "coproc": "wrap",
    "source": "=source", ".": "=source", "trap": "=trap",
    "bash": "=shell", "sh": "=shell", "dash": "=shell", "zsh": "=shell", "ksh": "=shell", "ash": "=shell",
    "fish": "opaque", "pwsh": "=pwsh", "powershell": "=pwsh", "powershell.exe": "=pwsh", "pwsh.exe": "=pwsh",
    "cmd": "opaque", "cmd.exe": "opaque",
    # the shell's own state
    "cd": "=cd", "chdir": "=cd", "pushd": "=pushd", "popd": "=popd", "read": "=read", "mapfile": "=read",
    "readarray": "=read", "set": "=set", "shift": "=shift", "shopt": "=shopt", "alias": "=alias", "local": "=local",
    "export": "=local", "declare": "=local", "typeset": "=local", "readonly": "=local", "exit": "=exit",
    "return": "=return", "break": "=loop", "continue": "=loop", "let": "=let", "getopts": "=read",
    "unset": "reads", "unalias": "reads", "hash": "reads", "umask": "reads", "ulimit": "reads", "wait": "reads",
    "jobs": "reads", "fg": "reads", "bg": "reads", "disown": "reads", "enable": "reads", "bind": "reads",
    "history": "reads", "fc": "opaque", "dirs": "reads", "times": "reads", "type": "reads", "complete": "reads",
    "true": "reads", "false": "reads", ":": "reads", "test": "reads", "[": "reads", "[[": "reads",
    "echo": "reads", "printf": "=printf", "pwd": "reads", "kill": "reads", "pkill": "reads", "killall": "reads",
    # readers
    "ls": "reads", "dir": "reads", "vdir": "reads", "cat": "reads", "tac": "reads", "nl": "reads", "head": "reads",
    "tail": "reads", "wc": "reads", "grep": "reads", "egrep": "reads", "fgrep": "reads", "less": "=less",
    "more": "reads", "most": "reads", "cut": "reads", "paste": "reads", "join": "reads", "comm": "reads",
    "tr": "reads", "fold": "reads", "fmt": "reads", "pr": "reads", "column": "reads", "rev": "reads",
    "shuf": "reads takes=-n,-i,-e out=-o,--output", "tsort": "reads", "cmp": "reads", "diff": "reads out=--output",
    "colordiff": "reads", "diff3": "reads", "sdiff": "reads takes=-w out=-o", "file": "reads only=-C",
    "stat": "reads", "du": "reads", "df": "reads", "basename": "reads", "dirname": "reads", "realpath": "reads",
    "readlink": "reads", "pathchk": "reads", "md5sum": "reads", "sha1sum": "reads", "sha256sum": "reads",
    "sha512sum": "reads", "shasum": "reads", "b2sum": "reads", "cksum": "reads", "sum": "reads", "md5": "reads",
    "od": "reads", "hexdump": "reads", "strings": "reads", "xxd": "=xxd takes=-c,-g,-l,-s,-o,-n",
    "base64": "reads", "base32": "reads", "seq": "reads", "yes": "reads", "factor": "reads", "expr": "reads",
    "bc": "reads", "dc": "reads", "numfmt": "reads", "date": "reads only=-s,--set", "cal": "reads", "sleep": "reads",
    "whoami": "reads", "id": "reads", "groups": "reads", "who": "reads", "w": "reads", "users": "reads",
    "hostname": "reads", "uname": "reads", "uptime": "reads", "nproc": "reads", "free": "reads",
    "ps": "reads", "pgrep": "reads", "pidof": "reads", "top": "reads", "htop": "reads", "lsof": "reads",
    "fuser": "reads", "ss": "reads", "netstat": "reads", "ip": "reads", "ifconfig": "reads", "lscpu": "reads",
    "lsblk": "reads", "vmstat": "reads", "iostat": "reads", "dmesg": "reads",
    "printenv": "reads", "locale": "reads", "tty": "reads", "stty": "reads", "clear": "reads", "reset": "reads",
    "tput": "reads", "which": "reads", "whereis": "reads", "man": "reads", "info": "reads", "apropos": "reads",
    "whatis": "reads", "tree": "reads takes=-L,-I,-P,--filelimit out=-o", "sync": "reads", "getconf": "reads",
    "getent": "reads", "ldd": "reads", "nm": "reads", "objdump": "reads", "readelf": "reads", "size": "reads",
    "cloc": "reads out=--out,--report-file", "tokei": "reads", "bat": "reads", "batcat": "reads", "exa": "reads",
    "eza": "reads", "rg": "=rg", "ag": "reads", "ack": "reads", "fzf": "opaque", "jq": "reads", "gojq": "reads",
    "yq": "below skip=1 only=-i,--inplace,--in-place,-iy takes=-o,-p,-I",
    "xmllint": "reads out=-o,--output dash", "look": "reads", "envsubst": "reads", "gettext": "reads",
    "logger": "reads", "systemctl": "sub", "systemctl status": "reads", "systemctl list-units": "reads", "systemctl is-active": "reads", "service": "opaque", "journalctl": "reads", "mount": "opaque",
    "umount": "opaque", "losetup": "opaque",
    "apply_patch": "=apply_patch", "applypatch": "=apply_patch",
    "coord": "reads",
}  # fmt: skip

PROGRAMS: dict[str, str] = {**SYSTEM, **TOOLS}

RUNNERS = ("pnpm", "yarn")  # what is no subcommand of theirs is a program of the project's packages
