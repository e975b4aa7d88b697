#: a plain redirection
echo x > src/a.py
#: appending
echo x >> notes.txt
#: clobbering
echo a >| src/a.py
#: both streams into a new file
ls nope &> errors.txt
#: both streams appended
ls nope &>> notes.txt
#: the old form for both streams
echo c >& lib/a.py
#: descriptors and null devices are no files
ls nope 2>/dev/null >&2; echo d 1>&2 2>&1
#: standard error into a file
ls nope 2> err.log
#: two redirections of one command
sh -c 'echo out; echo err >&2' > out.txt 2> err.txt
#: the redirection comes first
> src/b.py echo hello
#: a redirection alone empties a file
> notes.txt
#: a colon and a redirection
: > src/a.py
#: only the file of the last command of a chain is written
true && echo y > notes.txt
#: a chain before a redirection, with a directory
cd lib && echo x > new.txt
#: a pipe before a redirection
printf 'b\na\n' | sort > sorted.txt
#: a group into one file
{ echo a; echo b; } > both.txt
#: a subshell into one file
(echo a; echo b) >> both.txt
#: a loop into one file
for i in 1 2 3; do echo $i; done > numbers.txt
#: an argument behind the redirection
echo a > out.txt b c
#: no space around it
echo a>out.txt
#: a quoted name with spaces
echo x > "odd name.txt"
#: descriptors of their own
exec 3> three.txt; echo hi >&3; exec 3>&-
#: reading is not writing
cat < notes.txt
#: input and output
sort < notes.txt > sorted.txt
#: a here-string is data
cat <<< "text > src/a.py"
#: /dev/stderr is no file
echo warn > /dev/stderr
#: a file in the temporary folder
echo x > /tmp/coordhooks-corpus-$$.txt; rm -f /tmp/coordhooks-corpus-$$.txt
#: a redirection that fails before the command
echo x > nowhere/at/all.txt || true
#: the home folder
echo x > ~/home.txt
#: a quoted tilde is a name
mkdir -p '~' && echo x > './~/a.py'
#: an absolute name
echo x > "$PWD/src/a.py"
#: assignment and redirection without a command
A=1 > empty.txt
#: numbers that are arguments, not descriptors
echo 2 > two.txt
#: redirection of a condition
if grep -q 1 notes.txt > found.txt; then :; fi
#: redirection of a function's call
f() { echo inside; }; f > f.txt
#: redirection in a function's body
f() { echo inside > g.txt; }; f
#: a function that is never called
f() { echo inside > src/a.py; }; true
#: and the stream of a background job
echo x > bg.txt & wait
#: reading and writing without truncation
echo 2 1<>notes.txt
