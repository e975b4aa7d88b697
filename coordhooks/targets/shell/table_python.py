"""Python's own library as data: which calls write, and which of their arguments name files."""

# Modules whose import runs nothing that writes (their writing calls are listed below).
SAFE_MODULES = (
    "__future__", "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "builtins", "calendar", "cmath", "codecs",
    "collections", "colorsys", "configparser", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib",
    "dis", "email", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getpass", "glob", "gzip", "hashlib", "heapq",
    "hmac", "html", "http", "importlib.metadata", "importlib.util", "inspect", "io", "ipaddress", "itertools", "json",
    "keyword", "linecache", "locale", "logging", "math", "mimetypes", "numbers", "operator", "os", "os.path", "pathlib",
    "pickle", "pkgutil", "platform", "posixpath", "pprint", "queue", "random", "re", "sched", "secrets", "shlex", "shutil",
    "signal", "site", "socket", "sqlite3", "ssl", "stat", "statistics", "string", "struct", "subprocess", "symtable", "sys",
    "sysconfig", "tarfile", "tempfile", "textwrap", "threading", "time", "timeit", "token", "tokenize", "tomllib",
    "traceback", "types", "typing", "unicodedata", "urllib", "urllib.parse", "urllib.request", "uuid", "warnings", "weakref",
    "xml", "xml.etree", "xml.etree.ElementTree", "zipfile", "zlib", "zoneinfo",
)  # fmt: skip

# Functions: which positional arguments are files that are written.
FUNCTIONS = {
    "os.remove": (0,), "os.unlink": (0,), "os.rmdir": (0,), "os.removedirs": (0,), "os.truncate": (0,), "os.chmod": (0,),
    "os.utime": (0,), "os.mkdir": (0,), "os.makedirs": (0,), "os.mkfifo": (0,), "os.rename": (0, 1), "os.renames": (0, 1),
    "os.replace": (0, 1), "os.symlink": (1,), "os.link": (1,), "shutil.copyfile": (1,), "shutil.copy": (1,),
    "shutil.copy2": (1,), "shutil.copymode": (1,), "shutil.copystat": (1,), "shutil.move": (0, 1), "shutil.rmtree": (0,),
    "shutil.copytree": (1,), "shutil.chown": (0,), "urllib.request.urlretrieve": (1,), "logging.FileHandler": (0,),
    "sqlite3.connect": (0,),
}  # fmt: skip
FOLDERS = ("shutil.rmtree", "shutil.copytree")  # all below
MAKING = ("os.mkdir", "os.makedirs", "mkdir")  # nothing happens to a folder that is there
INTO = ("shutil.copy", "shutil.copy2", "shutil.move")  # the last may be a folder, then it is a file in it
UNLINKING = (
    "os.remove",
    "os.unlink",
    "os.rename",
    "os.replace",
    "os.symlink",
    "os.link",
    "shutil.move",
    "unlink",
    "rename",
    "replace",
)

# Functions with a mode: position of the file, position of the mode.
OPENERS = {
    "open": (0, 1), "io.open": (0, 1), "codecs.open": (0, 1), "gzip.open": (0, 1), "zipfile.ZipFile": (0, 1),
    "tarfile.open": (0, 1), "os.fdopen": (9, 1),
}  # fmt: skip

# Methods of a path: which arguments are written besides the path itself.
METHODS: dict[str, tuple[int, ...]] = {
    "write_text": (), "write_bytes": (), "touch": (), "unlink": (), "rmdir": (), "mkdir": (), "chmod": (),
    "rename": (0,), "replace": (0,), "symlink_to": (), "hardlink_to": (), "link_to": (0,),
}  # fmt: skip

SHELL_TEXT = ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")
SHELL_ARGV = (
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
)
OPAQUE = (
    "exec", "eval", "compile", "__import__", "os.startfile", "os.posix_spawn", "os.posix_spawnp", "os.forkpty",
    "shutil.make_archive", "shutil.unpack_archive", "os.open", "importlib.util.spec_from_file_location", "breakpoint",
)  # fmt: skip
OPAQUE_STARTS = ("os.exec", "os.spawn")
OPAQUE_METHODS = (
    "extractall",
    "extract",
    "to_csv",
    "to_json",
    "to_excel",
    "to_parquet",
    "savefig",
    "exec_module",
    "main",
)

# `python -m module`: the same program by another name, or one that only reads.
READING_MODULES = (
    "http.server", "this", "platform", "site", "sysconfig", "ast", "tokenize", "dis", "calendar", "py_compile",
    "compileall", "json.tool", "pydoc", "ensurepip", "zoneinfo", "sys", "inspect", "tabnanny", "webbrowser",
)  # fmt: skip
