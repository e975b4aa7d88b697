#: a function that shadows a program
rm() { echo "not removed: $1"; }; rm notes.txt
#: a variable as the program
C=touch; $C made.txt
#: a whole command in a variable
C="touch made.txt"; $C
#: an array as a command
C=(touch "made it.txt"); "${C[@]}"
#: options in a variable
O=-f; rm $O notes.txt
#: a target folder in a variable
D=lib; cp notes.txt $D
#: quotes within a substitution within quotes
echo "$(echo "$(cat "notes.txt")")" > "$(echo "q.txt")"
#: a here-document within a function
f() { cat > "$1" <<EOF
text
EOF
}; f fh.txt
#: a here-document in a loop
for n in a b; do cat > $n.cfg <<EOF
name=$n
EOF
done
#: a here-document in a subshell in a pipe
(cat <<'EOF'
touch piped-sh.txt
EOF
) | sh
#: a pipe into a group
echo name.txt | { read -r n; touch "$n"; }
#: read from a here-string
read -r n <<< "hs.txt"; touch "$n"
#: a while loop over a pipe with a directory
echo src | while read -r d; do (cd "$d" && touch w.txt); done
#: a case on a known word with other bodies
case notes.txt in *.txt) touch text.txt;; esac
#: a subshell after &&
true && (cd src && touch sub.txt)
#: redirection after a subshell's cd
(cd src; ls) > listing.txt
#: a group with a cd and a redirection behind
{ cd src; ls; } > listing.txt; touch in-src.txt
#: nested quotes in bash -c
bash -c "cd src && bash -c 'echo x > inner.txt'"
#: eval with quotes
eval "F='ev al.txt'; touch \"\$F\""
#: xargs with two operands
printf 'notes.txt\n' | xargs -I{} cp {} lib/{}
#: cp by find with several
find src -name '*.py' -exec cp -t lib {} +
#: tee in the middle of a pipe
cat notes.txt | tee mid.txt | sort > end.txt
#: exec with redirections for the rest
exec > all-output.txt; echo one; echo two
#: exec in a subshell
(exec > sub-output.txt; echo one); echo two
#: dd by a pipe
echo data | dd of=dd.txt 2>/dev/null
#: sed with a w flag and a path
sed -n 's/1/2/gpw lib/w.txt' notes.txt
#: sed with braces and a file name
sed -n '/1/{p;w brace.txt
}' notes.txt
#: an assignment from a pipe
X=$(echo abc | tr a-z A-Z); touch known.txt
#: trailing text after a redirected group
{ echo a; } >> notes.txt 2>&1 && touch after.txt
#: && after a here-document in a function call
f() { cat; }; f <<'EOF' && touch hd-after.txt
x
EOF
#: a here-document and a pipe to a shell with arguments
sh -s first.txt <<'EOF'
touch "$1"
EOF
#: install with a new folder
install -D notes.txt deep/er/n.txt
#: truncating several
: > a1.txt > a2.txt
#: a redirection to a variable with a default known
F=; echo x > "${F:-fallback.txt}"
#: a brace expansion in a redirection's folder
mkdir -p {x,y}/z && touch {x,y}/z/f
#: sort -o with the name attached
sort -onotes2.txt notes.txt
#: a long option with its value behind
sort --output sorted3.txt notes.txt
#: an abbreviated long option
sort --out=sorted4.txt notes.txt
#: tar with a folder before the mode
tar -C src -cf s.tar a.py
#: rm with -- and a dash
touch -- -x && rm -- -x && touch y
#: cat from /dev/stdin into a file
echo hi | cat /dev/stdin > stdin.txt
#: a substitution as the only command
$(echo touch sub-cmd.txt)
#: a test with a redirection inside of quotes
[ "a > b" = "a > b" ] && touch eq.txt
#: a comment between the lines of a chain
touch c1.txt && # go on
touch c2.txt
#: a pipe over two lines
echo x |
  tee two-lines.txt
#: a semicolon in a name
touch 'a;b.txt'
#: a name with a quote
touch "it's.txt"
#: a tilde behind an assignment
F=~/assigned.txt; touch "$F"
#: HOME in braces
touch "${HOME}/braced.txt"
#: a relative path through ..
cd src && echo x > ../lib/../notes.txt
#: mv onto a folder that a variable names
D=lib; mv src/a.py "$D/"
#: a loop over find with spaces
find . -maxdepth 1 -name 'notes*' -print0 | while IFS= read -r -d '' f; do cp "$f" "$f.bak"; done
#: perl with a here-document
perl <<'EOF'
open(my $f, '>', 'perl-hd.txt') or die;
print $f "x";
EOF
#: python that opens by keyword
python3 -c "open(file='kw.txt', mode='w')"
#: python with a conditional path
python3 -c "
import os
p = 'src/a.py' if os.path.exists('src/a.py') else 'lib/a.py'
open(p, 'a').write('x')"
#: python appends to each line of a list
python3 -c "
import pathlib
for name in sorted(['notes.txt', 'multi.txt']):
    p = pathlib.Path(name); p.write_text(p.read_text().upper())"
#: python with main
python3 - <<'EOF'
from pathlib import Path

def main():
    target = Path("src") / "b.py"
    text = target.read_text()
    target.write_text(text + "# end\n")

if __name__ == "__main__":
    main()
EOF
#: python with os.walk
python3 - <<'EOF'
import os
for root, dirs, files in os.walk('src'):
    for f in files:
        p = os.path.join(root, f)
        s = open(p).read()
        open(p, 'w').write(s.replace('1', '2'))
EOF
#: python with print to a file
python3 -c "print('x', file=open('printed.txt', 'w'))"
#: node with promises
node -e "require('fs').promises.writeFile('prom.txt','x')"
#: node with import
node --input-type=module -e "import fs from 'fs'; fs.writeFileSync('esm.txt','x')"
#: node with a template
node -e 'const n="t"; require("fs").writeFileSync(`${n}.txt`, "x")'
#: awk with two files
awk 'NR==1{print > "first.txt"} NR==2{print > "second.txt"}' multi.txt
#: awk by field
awk '{print > $1 ".out"}' notes.txt
#: git add and commit of named files
git add notes.txt && git commit -q -m "x" notes.txt
#: git show into a file in another folder
git -C src show HEAD:src/a.py > restored.py
#: git stash of untracked files
git stash -q -u
#: git checkout of two files
git checkout HEAD -- src/a.py src/b.py
#: git restore of a folder from a commit
git restore -s feature lib
#: git checkout with a path that is gone
rm src/a.py && git checkout src/a.py
#: git diff, applied elsewhere
git diff -- src/b.py > d.patch && git checkout -q src/b.py && git apply d.patch
#: a cherry-pick that is not committed
git cherry-pick -n feature
#: git reset of a file, then restore
git reset -q HEAD src/b.py; git checkout -q -- src/b.py
#: git rm with force
git rm -qf src/b.py
#: git clean of ignored files
echo '*.log' > .gitignore; touch a.log; git clean -fdXq
#: git switch to the branch before
git checkout -q feature && git checkout -q -
#: cat with a numbered descriptor
exec 5<notes.txt; cat <&5
#: a coprocess
coproc { cat > coproc.txt; }; echo x >&${COPROC[1]}; exec {COPROC[1]}>&-; wait
#: a named descriptor
exec {fd}>named.txt; echo x >&$fd
#: a here-document with two dollars
cat > dd.txt <<EOF
\$HOME and $HOME
EOF
#: a minus as an output file of a redirection
echo x > -
#: printf into several files
printf 'x\n' | tee p1.txt p2.txt > p3.txt
#: a subshell in the background
(sleep 0.05; touch late.txt) & wait
#: a function with a redirection on its definition
f() { echo x; } > fdef.txt; f
#: local variables do not leak
f() { local D=src; touch $D/l.txt; }; D=lib; f; touch $D/after.txt
#: a parameter with a suffix list
for f in src/*.py; do cp "$f" "lib/$(basename "${f%.py}").txt"; done
#: mapfile
mapfile -t L < <(printf 'm1.txt\nm2.txt\n'); touch "${L[@]}"
#: an arithmetic name
i=3; touch "n$((i+1)).txt"
#: cd with two commands on the line and a failure
cd src || exit; rm -f a.py; cd ..; rm -f notes.txt
#: a directory made in a substitution
cd "$(mkdir -p made && echo made)" && touch here.txt
