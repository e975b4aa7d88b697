#: curl into a file
curl -s -o got.txt "file://$PWD/notes.txt"
#: curl with the name of the address
curl -sO "file://$PWD/src/a.py"
#: curl into a folder
curl -s --output-dir lib -O "file://$PWD/notes.txt"
#: curl to the output
curl -s "file://$PWD/notes.txt"
#: curl to the output by name
curl -s -o - "file://$PWD/notes.txt"
#: curl into a pipe
curl -s "file://$PWD/notes.txt" | tee curled.txt >/dev/null
#: curl long option
curl -s --output=got2.txt "file://$PWD/notes.txt" || curl -s --output got2.txt "file://$PWD/notes.txt"
#: a cookie jar
curl -s -c jar.txt "file://$PWD/notes.txt"
