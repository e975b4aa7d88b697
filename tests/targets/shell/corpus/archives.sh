#: tar packs
tar -czf new.tar.gz src
#: tar packs, old style
tar cf new.tar src lib
#: tar unpacks here
tar xzf a.tar.gz
#: tar unpacks elsewhere
mkdir out && tar -xzf a.tar.gz -C out
#: tar lists
tar tzf a.tar.gz
#: tar to the output
tar -xzOf a.tar.gz packed/one.txt
#: tar through a pipe
tar cf - src | tar xf - -C lib
#: gzip
gzip notes.txt
#: gzip keeps
gzip -k notes.txt
#: gzip to the output
gzip -c notes.txt > n.gz
#: gunzip
gzip notes.txt && gunzip notes.txt.gz
#: xz
xz notes.txt
#: bzip2
bzip2 -k notes.txt
#: zcat reads
gzip -c notes.txt | zcat
#: zip
zip -q new.zip notes.txt
#: zip without a suffix
zip -qr bundle src
#: unzip
unzip -qo a.zip
#: unzip elsewhere
unzip -qo a.zip -d unpacked
#: unzip lists
unzip -l a.zip
#: cpio
mkdir cp; echo notes.txt | cpio -pd cp 2>/dev/null
#: ar
ar rc lib.a notes.txt
