#: tee
echo x | tee src/a.py >/dev/null
#: tee appends to two
echo x | tee -a notes.txt lib/a.py >/dev/null
#: cp onto a file
cp notes.txt src/a.py
#: cp into a folder
cp notes.txt src/
#: cp several into a folder
cp notes.txt p.diff lib
#: cp with a target folder
cp -t lib notes.txt
#: cp of a folder to a new one
cp -r src copied
#: cp of a folder into one that is there
cp -a src lib
#: cp keeping a backup
cp -b notes.txt lib/a.py
#: mv a file
mv notes.txt moved.txt
#: mv into a folder
mv notes.txt src
#: mv a folder
mv lib library
#: mv several
mv src/a.py src/b.py lib/
#: mv and use the new folder
mv lib library && echo x > library/new.py
#: ln
ln -s src/a.py link.py
#: ln over something
ln -sf lib/a.py notes.txt
#: a hard link
ln notes.txt hard.txt
#: ln into a folder
ln -s ../notes.txt src/
#: rm
rm src/a.py
#: rm of two with force
rm -f src/a.py nope.txt
#: rm of a folder
rm -rf src
#: rm of a pattern
rm -f src/*.py
#: a link's name goes, not its target
ln -s src/a.py l; rm l
#: unlink
unlink notes.txt
#: rmdir
mkdir empty && rmdir empty
#: mkdir
mkdir -p deep/er && touch deep/er/x
#: mkdir of one that is there
mkdir -p src
#: touch
touch new.txt
#: touch with a date and a reference
touch -d '2020-01-01' -r notes.txt touched.txt 2>/dev/null || touch -d '2020-01-01' touched.txt
#: truncate
truncate -s 0 src/b.py
#: dd
dd if=/dev/zero of=zero.bin bs=10 count=1 2>/dev/null
#: dd without of
dd if=notes.txt bs=1 count=1 2>/dev/null
#: install
install -m 644 notes.txt src/installed.txt
#: install into a folder
install notes.txt lib
#: install of a folder
install -d made/here
#: sort in place
sort -o notes.txt notes.txt
#: sort with the option at the end
sort notes.txt -r -o sorted.txt
#: sort, only reading
sort -k 1 -t , notes.txt
#: uniq with an output
uniq notes.txt unique.txt
#: split
split -l 1 multi.txt part_
#: split into a folder
mkdir parts; split -l 1 multi.txt parts/p
#: csplit
csplit -s multi.txt 2
#: chmod
chmod +x src/a.py
#: chmod of a folder
chmod -R a+r,u+x src
#: shuf
shuf -o shuffled.txt multi.txt
#: base64 reads
base64 notes.txt
#: sponge-like with tee and a subshell
(cat notes.txt; echo more) | tee both.txt > /dev/null
#: cmp and diff read
diff notes.txt multi.txt; cmp notes.txt multi.txt; true
#: iconv with an output
iconv -f utf8 -t latin1 -o latin.txt notes.txt
#: cp through a link writes its target
ln -s src/a.py through; cp multi.txt through
#: mv replaces the link itself
ln -s src/a.py over; cp multi.txt m2; mv m2 over
#: mkfifo
mkfifo pipe
#: copying to parents
cp --parents src/a.py lib
#: xxd back
printf '6869' | xxd -r -p - hi.txt
#: rename by loop
for f in src/*.py; do mv "$f" "${f%.py}.txt"; done
#: no-clobber still names it
cp multi.txt fresh.txt
#: cat many into one
cat src/a.py src/b.py > all.txt
#: fallocate
fallocate -l 10 alloc.bin
#: cp of a pattern
cp src/*.py lib/
#: mv of a pattern
mkdir old && mv src/*.py old
