#: find prints
find . -name '*.py' -print
#: find deletes
find src -name '*.py' -delete
#: find deletes nothing
find . -name '*.pyc' -delete
#: find runs a command on each
find lib -name '*.py' -exec sed -i 's/1/9/' {} \;
#: find runs a command on all
find lib -name '*.py' -exec sed -i 's/1/9/' {} +
#: find with a type
find src -type f -exec chmod u+x {} +
#: find runs a reader
find . -type f -exec grep -l 1 {} +
#: find into a file
find src -name '*.py' -fprint list.txt
#: find and a loop
find src -name '*.py' | while read -r f; do echo x > "$f"; done
#: find and xargs
find src -name '*.py' | xargs sed -i 's/1/2/'
#: find with zeros
find src -name '*.py' -print0 | xargs -0 rm
#: grep and xargs
grep -rl 1 src | xargs sed -i 's/1/9/'
#: xargs of a reader
find . -name '*.py' | xargs wc -l
#: xargs with literal names
echo one.txt two.txt | xargs touch
#: xargs with a mark
printf 'a\nb\n' | xargs -I{} touch {}.made
#: xargs runs a shell
printf 'a\nb\n' | xargs -I{} sh -c 'echo x > {}.made'
#: xargs one by one
ls src/*.py | xargs -n1 rm
#: sed over a list of grep
sed -i 's/1/2/' $(grep -rl 1 src)
#: git ls-files and xargs
git ls-files src | xargs sed -i 's/1/2/'
#: git ls-files with zeros
git ls-files -z src | xargs -0 touch
#: find with negation
find src -type f ! -name 'a.py' -exec rm {} +
#: find of caches
find . -type d -name __pycache__ -exec rm -rf {} +
#: find with two names
find src \( -name '*.py' -o -name '*.txt' \) -exec sed -i 's/1/2/' {} +
#: find with a depth
find . -maxdepth 1 -name '*.txt' -exec cp {} lib \;
#: find moves
find src -name '*.py' -exec mv {} lib/b2.py \; 
#: ls and wc
ls src | wc -l
#: find newer
find . -newer notes.txt -type f
