#: one level of quoting
env LC_ALL=C timeout 5 bash -c 'cd lib && echo x > ../src/a.py'
#: a login shell
sh -c 'echo x > sh.txt'
#: bash with bundled options
bash -lc 'echo x > lc.txt'
#: bash with options
bash -euo pipefail -c 'echo x > opt.txt'
#: arguments of a script
bash -c 'echo x > "$1"' _ arg.txt
#: two levels
bash -c "bash -c 'echo x > two.txt'"
#: nice
nice -n 5 touch nice.txt
#: nohup
nohup touch nohup.txt >/dev/null 2>&1
#: timeout with options
timeout -k 1 -s TERM 5 touch t.txt
#: command
command touch c.txt
#: command -v reads
command -v touch
#: exec
exec touch e.txt
#: env with unset and a folder
env -u FOO -C src touch env.txt
#: stdbuf
stdbuf -oL touch s.txt
#: setsid
setsid touch ss.txt; sleep 0.2
#: xargs and bash
echo x.txt | xargs bash -c 'touch "$@"' _
#: time
command time -p touch timed.txt 2>/dev/null || touch timed.txt
#: a variable before a program
FOO=bar touch foo.txt
#: a program by its path
/bin/rm notes.txt
#: a wrapped reader
timeout 5 cat notes.txt
#: env alone
env | sort | head -1
#: builtin
builtin echo x > b.txt
#: a wrapped redirection
timeout 5 echo x > w.txt
#: a shell that reads nothing
bash -c 'true'
#: busybox
busybox touch bb.txt
#: flock
flock lock.file touch locked.txt
#: sh with a file of the command
echo 'touch scripted.txt' > s.sh; sh s.sh
#: a script of the repository
sh ./tool.sh
#: source
. ./env.sh; echo "$FROM_ENV"
#: an unknown program
./unknown-tool 2>/dev/null; true
