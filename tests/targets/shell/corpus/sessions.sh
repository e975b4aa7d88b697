#: jq through a temporary file
jq '.a = 2' data.json > tmp.json && mv tmp.json data.json
#: jq through mktemp
tmp=$(mktemp) && jq '.b = 3' data.json > "$tmp" && mv "$tmp" data.json
#: jq that only reads
jq -r '.a' data.json | head -1
#: perl in place over two files
perl -pi -e 's/1/2/' src/a.py lib/a.py
#: perl in place with slurp and a backup
perl -0777 -i.orig -pe 's/one\ntwo/1\n2/' multi.txt
#: perl that only prints
perl -ne 'print if /two/' multi.txt
#: tee appends, its output thrown away
echo 'export X=1' | tee -a env.sh >/dev/null
#: tee from a heredoc
tee config/app.toml <<'EOF' >/dev/null 2>&1 || { mkdir -p config && touch config/app.toml; }
[app]
name = "x > y"
EOF
#: a tee with sudo's spelling and two files
printf 'a\nb\n' | tee one.log two.log | wc -l
#: a folder copied whole
cp -r src src.bak
#: a folder copied into another, with dot
mkdir -p out && cp -a src/. out/
#: copies with a target folder named first
mkdir -p vendor && cp -t vendor notes.txt multi.txt
#: install with a mode
install -m 755 tool.sh bin-tool
#: install that makes the folders
install -D -m 644 notes.txt share/doc/notes.txt
#: install of a folder alone
install -d -m 700 private/keys
#: truncate to nothing
truncate -s 0 notes.txt
#: a link replaced
ln -sfn src current && ln -sfn lib current
#: found names to sed by xargs
grep -rl 1 src lib | xargs sed -i 's/1/7/'
#: found names to sed by xargs, zero-ended
find src -name '*.py' -print0 | xargs -0 sed -i -e 's/1/8/'
#: find that only lists
find . -path ./.git -prune -o -name '*.py' -print | sort | head
#: find that deletes
find . -name '*.orig' -delete; find scratch -type f -delete
#: python from a heredoc writes with pathlib
python3 - <<'EOF'
from pathlib import Path
p = Path("src/a.py")
p.write_text(p.read_text().replace("1", "2"))
EOF
#: python from a heredoc edits by open
python3 <<'PY'
import re
with open('multi.txt') as f:
    s = f.read()
s = re.sub(r'two', '2', s)
with open('multi.txt', 'w') as f:
    f.write(s)
PY
#: python from a heredoc only reads
python3 - <<'EOF'
import json
print(json.load(open("data.json"))["a"])
EOF
#: python writes json
python3 -c "
import json
d = json.load(open('data.json'))
d['v'] = '1.2.3'
json.dump(d, open('data.json', 'w'), indent=2)
"
#: python over a loop of names
python3 - <<'EOF'
import pathlib
for name in ["src/a.py", "lib/a.py"]:
    path = pathlib.Path(name)
    path.write_text("# header\n" + path.read_text())
EOF
#: git apply from a heredoc
git apply <<'EOF'
--- a/lib/a.py
+++ b/lib/a.py
@@ -1 +1 @@
-1
+3
EOF
#: git apply asked only for numbers
git apply --stat p.diff && git apply --check p.diff
#: git moves a file
git mv notes.txt docs.txt
#: git moves a folder
git mv lib library
#: one file restored from another commit
git restore --source=HEAD~0 -- src/b.py
#: patch from a heredoc
patch -p0 <<'EOF'
--- src/a.py
+++ src/a.py
@@ -1 +1 @@
-1
+4
EOF
#: sqlite makes a table
sqlite3 app.db 'create table t(a); insert into t values (1);'
#: sqlite fed by a heredoc
sqlite3 seed.db <<'EOF'
create table u(b);
EOF
#: sqlite asked for a version
sqlite3 :memory: 'select sqlite_version();'
#: make only says what it would do
make -n made
#: make dry run by its long name, with a variable
make --dry-run made V=1 | tail -3
#: yq in place or not at all
cp data.json c.yaml && yq . c.yaml >/dev/null
#: a here-string decoded
base64 -d <<< aGVsbG8K > hello.txt
#: a script written, made executable and run
cat > run.sh <<'EOF'
#!/usr/bin/env bash
echo ran
EOF
chmod +x run.sh && ./run.sh
#: only the mode of a file
chmod 600 notes.txt
#: counted lines over a pipe, errors thrown away
git ls-files -z | xargs -0 wc -l 2>/dev/null | tail -1
#: a diff saved
git diff > changes.patch
#: a diff saved by option
git diff --output=work.patch
#: one file of another branch shown into place
git show feature:lib/a.py > lib/a.py
#: an archive of HEAD
git archive --format=tar HEAD src | tar -tf -
#: an archive of HEAD into a file
git archive -o head.tar HEAD
#: patches of a branch
git format-patch -1 feature -o patches
#: tar of a folder, node_modules left out
tar --exclude=node_modules -czf src.tgz src
#: tar extracted elsewhere, stripped
mkdir -p x && tar -xzf a.tar.gz -C x --strip-components=1
#: unzip into a folder
unzip -oq a.zip -d unzipped
#: a zip made
zip -qr src.zip src
#: zstd keeps its source
zstd -q notes.txt
#: gzip replaces its source
gzip multi.txt
#: gzip to the standard output
gzip -c notes.txt > notes.txt.gz
#: sorted in place
sort -o multi.txt multi.txt
#: first lines kept
head -n 1 multi.txt > m.tmp && cat m.tmp > multi.txt && rm -f m.tmp
#: awk through a temporary file
awk 'NR==2{$0="zwei"}1' multi.txt > t && mv t multi.txt
#: awk that only prints
awk -F: '{print $1}' multi.txt
#: sed with several scripts and several files
sed -i -e '1d' -e 's/two/2/' multi.txt notes.txt
#: sed with the text on the next line
sed -i '/two/a\
after two' multi.txt
#: sed only printing
sed -n '1,2p' multi.txt src/a.py
#: a loop over files that edits each
for f in src/*.py; do sed -i '1i # licence' "$f"; done
#: a loop that reads names
git ls-files src | while read -r f; do echo >> "$f"; done
#: an environment file made from an example
test -f .env || cp env.sh .env
#: a random key
openssl rand -hex 16 > secret.key
#: a certificate
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=x 2>/dev/null
#: node writes a file
node -e "const fs=require('fs'); const p=JSON.parse(fs.readFileSync('data.json')); p.x=1; fs.writeFileSync('data.json', JSON.stringify(p, null, 2))"
#: node from a heredoc
node <<'EOF'
require("node:fs").appendFileSync("notes.txt", "from node\n");
EOF
#: node only prints
node -p "require('./data.json').a"
#: node checks the syntax
printf 'let a = 1\n' > ok.js && node --check ok.js
#: npm says its version
npm --version >/dev/null 2>&1; true
#: npm makes a package
npm init -y >/dev/null 2>&1
#: npm sets a field
echo '{"name":"x","version":"1.0.0"}' > package.json && npm pkg set scripts.test='node --test' >/dev/null 2>&1
#: python compiled
python3 -m py_compile src/a.py 2>/dev/null; python3 -c 'import ast; ast.parse(open("src/a.py").read())'
#: python's json tool only prints
python3 -m json.tool < data.json
#: a split into pieces
split -l 1 multi.txt piece-
#: a csplit
csplit -s multi.txt /two/
#: dd makes an empty file
dd if=/dev/zero of=blob.bin bs=1k count=1 status=none
#: the output of a group
{ echo '# Report'; date +%Y; git log --oneline | head -1; } > report.md
#: both outputs into a log, its end shown
(echo run; echo warn >&2) > build.log 2>&1; tail -1 build.log
#: a process substitution read
diff <(sort multi.txt) <(sort notes.txt)
#: a rename with braces
mv notes.{txt,md}
#: a backup with braces
cp multi.txt{,.bak}
#: touched with a time
touch -d 2020-01-01 notes.txt
#: a folder made and gone into
mkdir -p app/api && cd app/api && touch __init__.py && cd -
#: pushd and popd
pushd lib >/dev/null && echo 5 > a.py && popd >/dev/null && echo 6 > notes.txt
#: git told of another folder
git -C src status --short . && git -C lib checkout -- a.py
#: an ignored pattern appended
echo '*.log' >> .gitignore && git check-ignore x.log
#: commit of named files
git add src/b.py && git commit -qm 'fix: b' -- src/b.py
#: a variable for the file
F=src/a.py; sed -i "s/1/2/" "$F" && git diff --stat -- "$F"
#: an environment before a program
PYTHONPATH=src LC_ALL=C sort -u multi.txt -o sorted.txt
#: timeouts around a script in a heredoc
timeout 20 bash <<'EOF'
set -euo pipefail
mkdir -p gen
echo generated > gen/out.txt
EOF
#: a function that writes
save() { printf '%s\n' "$2" > "$1"; }; save made.txt hello
#: envsubst of a template
printf 'v=$V\n' > t.tpl && V=3 envsubst < t.tpl > t.conf
#: cmp and diff write nothing
cmp src/a.py lib/a.py; diff -u src/a.py src/b.py
#: shellcheck by bash itself
bash -n tool.sh
#: a script of the project run
bash tool.sh
#: rm of what may be there, with globs
rm -rf scratch/*.txt dist
#: xargs with a place
printf 'a\nb\n' | xargs -I{} touch made-{}.txt
#: cargo formats one file
mkdir -p r && printf 'fn main(){}\n' > r/main.rs && (rustfmt r/main.rs || true) 2>/dev/null
#: rustfmt that only checks
printf 'fn main(){}\n' > c.rs && (rustfmt --check c.rs) 2>/dev/null; true
#: a worktree beside
git worktree add -q ../beside -b beside
#: ed with a heredoc
ed -s multi.txt <<'EOF'
2s/two/2/
w
q
EOF
#: vim in silence
vim -es -c '%s/two/2/' -c wq multi.txt
#: xxd backwards
xxd -p notes.txt | xxd -r -p > copy.txt
#: msgfmt compiles
printf 'msgid "a"\nmsgstr "b"\n' > a.po && msgfmt -o a.mo a.po
#: date into a stamp, only if it changed
cmp -s notes.txt stamp || cp notes.txt stamp
