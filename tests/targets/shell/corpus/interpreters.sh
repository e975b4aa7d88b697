#: python writes
python3 -c "open('src/a.py','w').write('x')"
#: python appends
python3 -c "with open('notes.txt', 'a') as f: f.write('x')"
#: python reads
python3 -c "print(open('notes.txt').read())"
#: python prints
python3 -c 'print(1 > 0)'
#: python with a path
python3 - <<'EOF'
from pathlib import Path
p = Path('src/a.py')
p.write_text(p.read_text().replace('1', '2'))
EOF
#: python with parts of a path
python3 - <<'EOF'
import os
name = os.path.join('src', 'b.py')
with open(name, mode='w') as f:
    f.write('x')
EOF
#: python with slashes
python3 - <<'EOF'
from pathlib import Path
root = Path('src')
(root / 'a.py').write_text('x')
EOF
#: python in a loop
python3 - <<'EOF'
for name in ['src/a.py', 'src/b.py']:
    with open(name, 'w') as f:
        f.write('x')
EOF
#: python with a function
python3 - <<'EOF'
def replace(path, old, new):
    text = open(path).read()
    open(path, 'w').write(text.replace(old, new))

replace('notes.txt', '1', '2')
replace('lib/a.py', '1', '3')
EOF
#: python with an f-string
python3 - <<'EOF'
for n in ('x', 'y'):
    open(f'{n}.txt', 'w').close()
EOF
#: python removes
python3 -c "import os; os.remove('notes.txt')"
#: python renames
python3 -c "import os; os.rename('notes.txt', 'renamed.txt')"
#: python copies
python3 -c "import shutil; shutil.copy('notes.txt', 'src')"
#: python removes a folder
python3 -c "import shutil; shutil.rmtree('lib')"
#: python makes folders
python3 -c "import os; os.makedirs('src', exist_ok=True)"
#: python runs a program
python3 -c "import subprocess; subprocess.run(['sed', '-i', 's/1/2/', 'src/a.py'])"
#: python runs a shell
python3 -c "import os; os.system('echo x > system.txt')"
#: python runs a program that reads
python3 -c "import subprocess; print(subprocess.check_output(['git', 'status', '--short']).decode())"
#: python over a folder
python3 - <<'EOF'
from pathlib import Path
for p in Path('src').glob('*.py'):
    p.write_text('x')
EOF
#: python with json
python3 - <<'EOF'
import json
data = json.load(open('data.json'))
data['b'] = 2
with open('data.json', 'w') as f:
    json.dump(data, f)
EOF
#: python json tool
python3 -m json.tool data.json
#: python json tool into a file
python3 -m json.tool data.json pretty.json
#: python with arguments
python3 - src/a.py <<'EOF'
import sys
open(sys.argv[1], 'w').write('x')
EOF
#: python with a regular expression
python3 - <<'EOF'
import re, pathlib
f = pathlib.Path("notes.txt")
s = f.read_text()
s = re.sub(r'1', '2', s)
f.write_text(s)
EOF
#: python with an assertion
python3 -c "
p='src/a.py'
s=open(p).read()
assert '1' in s
s=s.replace('1','2',1)
open(p,'w').write(s)
"
#: python writes a temporary file
python3 -c "import tempfile; f=tempfile.NamedTemporaryFile('w'); f.write('x')"
#: the version
python3 --version
#: python checks
python3 -c "import ast; ast.parse(open('src/a.py').read())"
#: python from a pipe
echo "open('piped.txt','w')" | python3
#: python changes the directory
python3 -c "import os; os.chdir('src'); open('a.py','w').write('x')"
#: python and the home folder
python3 -c "from pathlib import Path; (Path.home() / 'h.txt').write_text('x')"
#: python touches
python3 -c "import pathlib; pathlib.Path('touched.txt').touch()"
#: python reads by lines
python3 -c "
import csv
for row in csv.reader(open('multi.txt')): print(row)
"
#: node writes
node -e "require('fs').writeFileSync('src/a.py','x')"
#: node reads
node -e "console.log(require('fs').readFileSync('notes.txt','utf8'))"
#: node prints
node -p '1 + 1'
#: node with a constant
node -e "const fs=require('fs'); const p='notes.txt'; fs.writeFileSync(p, fs.readFileSync(p,'utf8').replace('1','2'))"
#: node with path.join
node -e "const fs=require('fs'),path=require('path'); fs.appendFileSync(path.join('src','b.py'),'x')"
#: node removes and renames
node -e "const fs=require('fs'); fs.unlinkSync('lib/a.py'); fs.renameSync('notes.txt','n2.txt')"
#: node by a here-document
node <<'EOF'
const fs = require('fs');
const data = JSON.parse(fs.readFileSync('data.json', 'utf8'));
data.c = 3;
fs.writeFileSync('data.json', JSON.stringify(data));
EOF
#: node with a pattern that has quotes
node -e 'console.log("a1".replace(/["1]/g, "b"))'
#: node with a comparison
node -e 'if (2 > 1) console.log("bigger > smaller")'
#: the version of node
node --version
#: perl writes
perl -e 'open(my $fh, ">", "perl.txt") or die; print $fh "x";'
#: perl removes
perl -e 'unlink "notes.txt"'
#: perl counts
perl -e 'print 1+1, "\n"'
#: perl with a module
perl -MList::Util=sum -e 'print sum(1,2,3)'
#: ruby writes
ruby -e 'File.write("ruby.txt", "x")'
#: ruby prints
ruby -e 'puts 1'
#: code that can't be told
node -e "require('fs').writeFileSync(['src','a.py'].join('/'),'x')"
#: python code that can't be told
python3 -c "n = input() if False else chr(113); open(n + '.txt', 'w')"
