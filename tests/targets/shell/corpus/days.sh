#: update by apply_patch
apply_patch() { cat >/dev/null; }; echo none
#: make, which runs what the project says
make -s made 2>/dev/null; true
#: only shown
make -n 2>/dev/null; true
#: compiling
printf 'int main(){return 0;}\n' > m.c && cc -o m m.c
#: syntax only
printf 'int main(){return 0;}\n' > m.c && cc -fsyntax-only m.c
#: a virtual environment is a folder
mkdir -p venv-like && touch venv-like/pyvenv.cfg
#: sqlite by python
python3 -c "import sqlite3; c=sqlite3.connect('db.sqlite'); c.execute('create table t(a)'); c.commit()"
#: cp then edit
cp src/a.py src/c.py && sed -i 's/1/3/' src/c.py
#: a backup, an edit, a check
cp notes.txt notes.bak && sed -i 's/1/2/' notes.txt && diff notes.bak notes.txt; rm notes.bak
#: write, run, remove
cat > check.py <<'EOF'
print("checked")
EOF
python3 -c "exec(open('check.py').read())"; rm check.py
#: append if missing
grep -q needle notes.txt || echo needle >> notes.txt
#: make a folder, write, list
mkdir -p docs/new && echo '# Title' > docs/new/index.md && ls docs/new
#: remove what was built
rm -rf build dist *.egg-info
#: a version taken from a file
V=$(cat notes.txt); echo "version $V" > VERSION
#: edit in a subfolder, in a subshell
(cd src && sed -i 's/1/2/' a.py) && git diff --stat
#: a long chain
cd src && touch one.py && cd ../lib && touch two.py && cd .. && touch three.py
#: write through a symlinked folder
ln -s src alias && echo x > alias/a.py
#: count, then write the count
wc -l < multi.txt > count.txt
#: a log in the temporary folder
ls > /tmp/coordhooks-corpus.log 2>&1; tail -1 /tmp/coordhooks-corpus.log; rm -f /tmp/coordhooks-corpus.log
#: unknown variable as a name
echo x > "$COORDHOOKS_NOT_SET_AT_ALL"/x.txt 2>/dev/null; true
