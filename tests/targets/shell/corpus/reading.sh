#: ls
ls -la
#: cat
cat notes.txt src/a.py
#: grep
grep -rn "def main" src --include=*.py; true
#: grep with signs
grep -E '(a|b)>c' notes.txt; true
#: head, tail, wc
head -n 3 notes.txt; tail -5 notes.txt; wc -l notes.txt
#: a pipeline
cat notes.txt | grep 1 | sort | uniq -c | sort -rn | head
#: which and type
which sh; type cd
#: echo
echo "it's" 'a "b"' $HOME 'id' & 
true
#: date and uname
date; uname -a; whoami; id
#: du and df
du -sh .; df -h . 
#: stat and file
stat notes.txt; file notes.txt 2>/dev/null; true
#: printf
printf '%s\n' a b c
#: test
test -f notes.txt && echo yes || echo no
#: env
printenv HOME
#: ps
ps aux | head -2
#: diff
diff src/a.py src/b.py; true
#: comparison in quotes
echo "a > b" | cat
#: a JSON query is only text
echo '{"a": 1}' | grep -o '"a"'
#: cd and read
cd src && ls && cat a.py
#: sleep
sleep 0.01
#: true
true; false; :
#: checksum
sha256sum notes.txt; md5sum notes.txt
#: nl, tac, rev, cut
nl notes.txt; tac multi.txt; rev notes.txt; cut -d: -f1 notes.txt
#: base64 and od
base64 notes.txt | base64 -d; od -c notes.txt | head -1
#: seq and bc
seq 3; expr 1 + 2
#: comm and join
comm notes.txt notes.txt; join notes.txt notes.txt
#: realpath
realpath notes.txt; readlink -f notes.txt; dirname src/a.py
#: export and unset
export X=1; echo $X; unset X
#: test runners' help
python3 --version; git --version
#: wait and jobs
jobs; wait
#: ulimit and umask
umask; ulimit -n
#: an if that reads
if grep -q 1 notes.txt; then echo found; else echo missing; fi
#: a loop that reads
for f in src/*.py; do echo "== $f"; cat "$f"; done
#: a loop over lines
cat notes.txt | while read -r l; do echo "$l"; done
#: xargs that reads
ls src | xargs -I{} echo "file {}"
#: find that reads
find . -name '*.txt' -not -path './.git/*' | sort
#: null redirections
ls nope >/dev/null 2>&1; ls nope &>/dev/null; true
#: sed that reads
sed -n '1,5p' notes.txt
#: awk that reads
awk -F: '{print $1}' notes.txt | sort -u
#: tr that reads
echo abc | tr a-z A-Z
#: tee to nothing
echo x | tee /dev/null
#: a curl of nothing to nowhere
curl -sS -o /dev/null file:///dev/null; true
