#: a subshell's directory does not leak
(cd lib && echo x > a.py); echo y > notes.txt
#: pushd and popd
pushd src >/dev/null; echo z > b.py; popd >/dev/null; echo y > notes.txt
#: back with a dash
cd src; cd - >/dev/null; echo y > notes.txt
#: up
cd src/../lib; echo x > a.py
#: cd that fails stops the chain
cd nowhere 2>/dev/null && echo x > src/a.py || true
#: cd or exit
cd lib || exit 1; echo x > a.py
#: cd into a folder that the command makes
mkdir -p build/out && cd build/out && echo x > result.txt
#: for over words
for n in a b; do echo y > "src/$n.py"; done
#: for over a pattern
for f in src/*.py; do sed -i 's/1/2/' "$f"; done
#: for over a range
for i in {1..3}; do touch "file$i.txt"; done
#: for over seq
for i in $(seq 2); do touch "seq$i.txt"; done
#: for over positional parameters
set -- x.txt y.txt; for f; do touch "$f"; done
#: a nested loop
for d in src lib; do for n in p q; do touch $d/$n.txt; done; done
#: a loop with a counter
i=0; while [ $i -lt 1 ]; do echo x > fixed.txt; i=$((i+1)); done
#: if, taken
if [ -f notes.txt ]; then echo yes > yes.txt; fi
#: if and else that write the same
if [ -f notes.txt ]; then echo yes > answer.txt; else echo no > answer.txt; fi
#: case with one body for all
case "x" in *) echo c > case.txt;; esac
#: and
[ -f notes.txt ] && echo x > and.txt
#: or
[ -f nope ] || echo x > or.txt
#: not
! false && echo x > not.txt
#: a function with arguments
w() { echo "$2" > "$1"; }; w one.txt 1; w two.txt 2
#: a function that changes the directory
go() { cd "$1"; }; go lib; echo x > a.py
#: a function with local
f() { local t=local.txt; echo x > "$t"; }; f
#: a function in a function
g() { touch g.txt; }; f() { g; }; f
#: what stands behind exit is not run
echo x > first.txt; exit 0; echo y > src/a.py
#: return
f() { touch before.txt; return; touch src/a.py; }; f
#: break
for f in a b; do touch $f.txt; break; done; true
#: a background job has its own directory
cd lib & wait; echo x > here.txt
#: options of the shell
set -euo pipefail; echo x > strict.txt
#: semicolons and newlines
touch n1.txt
touch n2.txt; touch n3.txt
#: a pipe runs in a subshell
cd src | true; echo x > here.txt
#: a group is no subshell
{ cd src; }; echo x > a.py
#: until
until [ -f made.txt ]; do touch made.txt; done
#: reading a file line by line writes nothing
while read -r line; do echo "$line"; done < notes.txt
#: a test with a greater sign
[[ b > a ]] && echo x > gt.txt
#: arithmetic
(( 3 > 2 )) && touch arith.txt
#: trap
trap 'rm -f lock.txt' EXIT; touch lock.txt
#: a temporary file moved into place
tmp=$(mktemp); echo new > "$tmp"; mv "$tmp" notes.txt
#: a temporary folder
d=$(mktemp -d); cp notes.txt "$d/"; rm -rf "$d"
#: select the newest with a test
if test -d src; then cd src; fi; touch tested.txt 2>/dev/null
#: time
time touch timed.txt
#: eval
eval "echo x > evaluated.txt"
#: eval of a variable
C='touch ev.txt'; eval "$C"
#: C-style loop
for ((i=0;i<2;i++)); do echo x > cstyle.txt; done
