#: a command in an argument
echo "now $(echo 2 > src/b.py; date +%Y)" >/dev/null
#: backquotes
echo `touch back.txt` >/dev/null
#: process substitution
diff <(echo 1) <(printf '1\n' | tee src/a.py) >/dev/null
#: output into a process
echo hi | tee >(cat > piped.txt) >/dev/null; sleep 0.2
#: a computed name
echo z > "$(printf 'no%s' tes.txt)"
#: basename and dirname
F=src/a.py; echo x > "$(dirname "$F")/$(basename "$F" .py).txt"
#: pwd
echo x > "$(pwd)/here.txt"
#: the root of the repository
cd src && echo x > "$(git rev-parse --show-toplevel)/root.txt"
#: cd to the root of the repository
cd src; cd "$(git rev-parse --show-toplevel)"; touch atroot.txt
#: nested
echo x > "$(echo "$(echo deep).txt")"
#: a substitution in a condition
if [ "$(touch cond.txt; echo 1)" = 1 ]; then true; fi
#: a substitution in an assignment
X=$(touch assigned.txt; echo 1); echo $X
#: a substitution in a case
case $(touch cased.txt; echo a) in a) ;; esac
#: in an arithmetic expansion
echo $((1 + $(touch arithm.txt; echo 2)))
#: in a default
echo "${NOPE_UNSET:-$(touch def.txt; echo d)}"
#: parentheses in its quotes
echo "$(echo ')' > paren.txt)"
#: in a for
for f in $(echo one.txt two.txt); do touch $f; done
#: from a cat of nothing else
N=$(cat <<< name.txt); touch "$N"
#: a date in a message only
echo "built $(date)" > built.txt
#: the list of git
for f in $(git ls-files src); do echo "# x" >> "$f"; done
#: source of a process
source <(echo 'touch sourced.txt')
#: subshell in a substitution keeps its directory
X=$(cd src && pwd); echo x > "$X/a.py"; touch top.txt
