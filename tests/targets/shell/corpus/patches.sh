#: a patch from a file
patch -p1 < p.diff
#: a patch from an option
patch -p1 -i p.diff
#: a patch on a named file
patch src/a.py p.diff
#: only a try
patch -p1 --dry-run < p.diff
#: a patch in a here-document
patch -p1 <<'EOF'
--- a/notes.txt
+++ b/notes.txt
@@ -1 +1 @@
-1
+2
EOF
#: an added line that looks like a header
patch -p1 <<'EOF'
--- a/notes.txt
+++ b/notes.txt
@@ -1 +1,2 @@
 1
+++ b/src/b.py
EOF
#: with a folder
cd src && patch -p2 <<'EOF'
--- a/src/a.py
+++ b/src/a.py
@@ -1 +1 @@
-1
+2
EOF
#: git apply of a file
git apply p.diff
#: git apply of a here-document
git apply <<'EOF'
--- a/notes.txt
+++ b/notes.txt
@@ -1 +1 @@
-1
+2
EOF
#: git apply, a new file
git apply - <<'EOF'
diff --git a/fresh.txt b/fresh.txt
new file mode 100644
--- /dev/null
+++ b/fresh.txt
@@ -0,0 +1 @@
+x
EOF
#: only checks
git apply --check p.diff
#: statistics
git apply --stat p.diff
#: to the output
patch -p1 -o out.txt < p.diff
