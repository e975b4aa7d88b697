#: quotes inside of a word
echo x > s'r'c/"a".py
#: braces
touch lib/{p,q}.py
#: a range
touch f{1..3}.txt
#: nested braces
mkdir -p d && touch d/{a,b{1,2}}.txt
#: braces around an extension
cp notes.txt{,.bak}
#: an ANSI-C string
echo y > $'src/\x62.py'
#: a newline in a name
echo z > $'new\nline.txt'
#: a continued line
echo z > no\
tes.txt
#: a continued line between arguments
cp notes.txt \
  copy.txt
#: a backslash before a space
echo x > odd\ two.txt
#: more signs than words
printf '%s\n' "p95 took >240s; see a>b" # > src/a.py
#: a comment
true # rm -rf src
#: an apostrophe in double quotes
echo "it's > not" > apostrophe.txt
#: a variable
F=src/a.py; echo x > "$F"
#: a variable in a part of the name
D=src; echo x > "$D/b.py"
#: a variable in braces
D=lib; echo x > ${D}/a.py
#: a variable outside of quotes with two names
FILES="one.txt two.txt"; touch $FILES
#: the same in quotes is one name
FILES="one.txt two.txt"; touch "$FILES"
#: an array
A=(one.txt two.txt); touch "${A[@]}"
#: an element
A=(one.txt two.txt); touch "${A[1]}"
#: a default
echo x > "${COORDHOOKS_UNSET_NAME:-default.txt}"
#: a suffix taken off
F=notes.txt; cp "$F" "${F%.txt}.md"
#: a prefix taken off
F=src/a.py; touch "${F##*/}"
#: a replacement
F=src/a.py; touch "${F//\//_}"
#: upper case
F=abc; touch "${F^^}"
#: positional parameters
set -- one.txt two.txt; touch "$@"
#: a pattern
sed -i 's/1/2/' src/*.py
#: a pattern in a folder's name
touch */new.txt
#: a pattern that matches nothing
rm -f *.nope
#: a quoted pattern
touch '*.txt.star'
#: a question mark
rm src/?.py
#: a bracket
rm src/[ab].py
#: a name that looks like an option
touch -- -dash.txt
#: unicode
echo x > café.txt
#: a dollar at the end
echo 'cost 5$' > cost.txt
#: an escaped dollar
touch "a\$b.txt"
#: an empty argument
touch "" e.txt 2>/dev/null || true
#: single quotes in double ones
bash -c "echo 'a b' > 'quoted name.txt'"
#: the directory in a variable
cd src; P=$PWD; cd ..; echo x > "$P/a.py"
#: appended to a variable
P=src; P+=/b.py; echo x > $P
#: a declared variable
export OUT=exported.txt; echo x > "$OUT"
#: several assignments
A=src B=a.py; echo x > $A/$B
#: a trailing space in a name
touch 'tail '
#: percent and underscore are letters
touch '100%_done.txt'
