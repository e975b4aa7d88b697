#: a body is data
cat <<'EOF'
rm -rf src
echo x > src/a.py
EOF
#: the file stands behind the operator
cat <<EOF > src/a.py
body
EOF
#: the file stands before it
cat > src/a.py <<'EOF'
if a > b: print("x")
EOF
#: with an expansion in the body
N=5; cat > n.txt <<EOF
value $N and $(echo run)
EOF
#: a substitution in the body runs
cat <<EOF
$(touch sideeffect.txt)
EOF
#: none in a quoted one
cat <<'EOF'
$(touch sideeffect.txt)
EOF
#: tabs taken off
cat <<-EOF > t.txt
	one
	two
	EOF
#: piped on from the opener's line
cat <<'EOF' | tee lib/a.py | wc -l
use tee src/a.py
EOF
#: chained on from the opener's line
cat <<'EOF' > one.txt && echo two > two.txt
body
EOF
#: a shell reads it
bash <<'EOF'
echo from-bash > shell.txt
EOF
#: a shell reads it from a pipe
cat <<'EOF' | sh
echo from-sh > shell.txt
EOF
#: two of them, one after the other
cat <<A > a.txt
1
A
cat <<B > b.txt
2
B
#: comparison operators in code
python3 - <<'EOF'
x = 4
if x > 3: print('deep')
EOF
#: a commit message that mentions commands
git commit -q --allow-empty -m "$(cat <<'EOF'
fix: rm -rf build > /dev/null (see 'notes')
EOF
)"
#: an odd delimiter
cat > d.txt <<"END OF FILE"
text
END OF FILE
#: code in a variable
CODE=$(cat <<'EOF'
echo from-variable > v.txt
EOF
)
bash -c "$CODE"
#: appended
cat >> notes.txt <<'EOF'
more
EOF
#: a loop reads it
while read -r f; do echo "$f"; done <<'EOF'
src/a.py
EOF
#: a loop writes what it reads
while read -r f; do echo x > "$f"; done <<'EOF'
one.txt
two.txt
EOF
#: with tee
tee src/new.py <<'EOF' >/dev/null
print(1)
EOF
#: a quote in the body
cat > quote.txt <<'EOF'
it's "odd" `here`
EOF
