#: sed in place
sed -i 's/1/2/' src/a.py
#: sed with a suffix, bundled
sed -ni.bak -e 's/1/9/p' -- src/a.py src/b.py
#: sed, long option
sed --in-place=.orig 's/1/2/' notes.txt
#: sed that only prints
sed -n p src/a.py
#: sed that prints with an expression
sed -e 's/1/2/' src/a.py
#: sed with an extended expression in place
sed -E -i 's/(1)/\1\1/' src/a.py
#: sed with -Ei
sed -Ei 's/1+/2/' src/a.py
#: sed with two scripts
sed -i -e 's/1/2/' -e 's/2/3/' src/a.py lib/a.py
#: sed writes a file of its own
sed -n 's/1/2/w changed.txt' notes.txt
#: the w command
sed -n '/1/w matched.txt' notes.txt
#: deletes a line in place
sed -i '1d' multi.txt
#: inserts, with a w in the text
sed -i '1i where we write' notes.txt
#: a script with a variable
OLD=1; NEW=2; sed -i "s/$OLD/$NEW/" src/a.py
#: a script with a variable that is not known
sed -i "s/1/$RANDOM/" src/a.py
#: another delimiter
sed -i 's|1|/usr/w|g' notes.txt
#: a multi-line script
sed -i '
/1/ {
s/1/one/
}
' notes.txt
#: sed then move
sed 's/1/2/' notes.txt > notes.tmp && mv notes.tmp notes.txt
#: perl in place
perl -pi -e 's/1/2/' src/a.py
#: perl in place with a suffix
perl -i.bak -pe 's/1/2/' src/a.py src/b.py
#: perl over a whole file
perl -0777 -i -pe 's/1\n/2\n/g' notes.txt
#: perl that only prints
perl -ne 'print if /1/' notes.txt
#: perl -lane
perl -lane 'print $F[0]' notes.txt
#: ed
printf 's/1/2/\nw\nq\n' | ed -s notes.txt
#: ed by a here-document
ed -s notes.txt <<'EOF'
1s/1/3/
w
q
EOF
#: ed that does not write
printf '1p\nq\n' | ed -s notes.txt
#: ed that writes another file
printf 'w other.txt\nq\n' | ed -s notes.txt
#: ex
ex -s -c '%s/1/2/' -c 'x' notes.txt
#: vim
vim -es -u NONE -c '%s/1/2/' -c 'wq' notes.txt </dev/null >/dev/null 2>&1 || true
#: awk prints
awk '{print $1}' notes.txt
#: awk compares
awk '$1 > 0 {print; n++} END {print n > "/dev/stderr"}' notes.txt
#: awk with an alternative in a pattern
awk '/1|2/ {print}' multi.txt
#: awk writes
awk '{print > "awked.txt"}' notes.txt
#: awk appends
awk '{ print $0 >> "awk2.txt" }' notes.txt
#: awk by a variable
awk -v out=awk3.txt '{print > out}' notes.txt
#: awk runs a command
awk '{ print | "cat > awk4.txt" }' notes.txt
#: awk runs system
awk 'BEGIN { system("touch awk5.txt") }'
#: awk into a temporary file, and back
awk '{print $1 "x"}' notes.txt > n.tmp && mv n.tmp notes.txt
#: awk with a ternary and a greater sign in parentheses
awk '{print ($1 > 0) ? "a" : "b"}' notes.txt
#: printf in awk
awk '{printf "%s > %s\n", $1, $2}' notes.txt
#: head and tail
head -1 multi.txt > h.txt; tail -n 1 multi.txt >> h.txt
#: tr
tr a-z A-Z < notes.txt > upper.txt
#: cut and paste
cut -c1 multi.txt | paste -sd, > pasted.txt
#: a link edited in place is replaced
ln -s src/a.py sl; sed -i 's/1/2/' sl
