"""Node, Perl and Ruby as data: names of calls that write, names after which nothing can be told, harmless modules."""

# Each call: which of its arguments are written. "mode" stands for a file and a mode, as in fopen.
NODE_WRITES: dict[str, tuple[int, ...]] = {
    "writeFileSync": (0,), "writeFile": (0,), "appendFileSync": (0,), "appendFile": (0,), "createWriteStream": (0,),
    "unlinkSync": (0,), "unlink": (0,), "rmSync": (0,), "rm": (0,), "rmdirSync": (0,), "rmdir": (0,), "truncateSync": (0,),
    "truncate": (0,), "mkdirSync": (0,), "mkdir": (0,), "chmodSync": (0,), "chmod": (0,), "utimesSync": (0,),
    "renameSync": (0, 1), "rename": (0, 1), "copyFileSync": (1,), "copyFile": (1,), "cpSync": (1,), "cp": (1,),
    "symlinkSync": (1,), "symlink": (1,), "linkSync": (1,), "link": (1,), "outputFileSync": (0,), "removeSync": (0,),
}  # fmt: skip
NODE_OPAQUE = (
    "eval", "Function", "child_process", "exec", "execSync", "execFile", "execFileSync", "spawn", "spawnSync", "fork",
    "worker_threads", "vm", "binding", "dlopen", "openSync", "write",
)  # fmt: skip
NODE_MODULES = (
    "fs", "fs/promises", "path", "os", "util", "url", "crypto", "assert", "process", "events", "buffer", "querystring",
    "zlib", "readline", "stream", "perf_hooks", "v8", "timers", "string_decoder", "http", "https", "net", "dns",
)  # fmt: skip

RUBY_WRITES: dict[str, tuple[int, ...]] = {
    "File.write": (0,), "IO.write": (0,), "File.binwrite": (0,), "IO.binwrite": (0,), "File.delete": (0,),
    "File.unlink": (0,), "File.rename": (0, 1), "File.symlink": (1,), "File.link": (1,), "File.truncate": (0,),
    "File.chmod": (1,), "Dir.mkdir": (0,), "Dir.rmdir": (0,), "Dir.delete": (0,), "FileUtils.rm": (0,),
    "FileUtils.rm_f": (0,), "FileUtils.rm_rf": (0,), "FileUtils.rm_r": (0,), "FileUtils.touch": (0,),
    "FileUtils.mkdir_p": (0,), "FileUtils.mkdir": (0,), "FileUtils.cp": (1,), "FileUtils.mv": (0, 1),
    "FileUtils.ln_s": (1,), "FileUtils.ln_sf": (1,), "FileUtils.cp_r": (1,),
}  # fmt: skip
RUBY_OPENERS = ("File.open", "File.new", "IO.open", "open")
RUBY_OPAQUE = (
    "system", "exec", "spawn", "eval", "instance_eval", "class_eval", "send", "public_send", "load", "popen", "Open3", "syscall",
    "fork", "x", "Pathname", "Tempfile", "binding", "FileUtils", "sysopen", "require_relative", "autoload",
)  # fmt: skip
RUBY_MODULES = (
    "fileutils",
    "json",
    "yaml",
    "set",
    "date",
    "time",
    "csv",
    "erb",
    "digest",
    "pp",
    "uri",
    "securerandom",
    "English",
    "strscan",
    "stringio",
    "bigdecimal",
)

PERL_WRITES: dict[str, tuple[int, ...]] = {
    "unlink": (0,), "rename": (0, 1), "mkdir": (0,), "rmdir": (0,), "truncate": (0,), "symlink": (1,), "link": (1,),
    "copy": (1,), "move": (0, 1), "chmod": (1,),
}  # fmt: skip
PERL_OPENERS = ("open",)
PERL_OPAQUE = (
    "system",
    "exec",
    "qx",
    "eval",
    "do",
    "require",
    "sysopen",
    "syscall",
    "fork",
    "readpipe",
    "utime",
    "opendir ",
    "dbmopen",
    "select",
    "glob",
)
PERL_MODULES = (
    "strict", "warnings", "utf8", "feature", "Data::Dumper", "List::Util", "POSIX", "JSON::PP", "File::Basename", "Time::HiRes",
    "Time::Local", "Cwd", "File::Spec", "Encode", "Getopt::Long", "File::Copy", "open", "bytes", "integer", "constant", "v5",
    "Scalar::Util", "Text::Wrap", "MIME::Base64", "Digest::MD5", "Digest::SHA", "Storable", "Carp", "English", "lib", "vars", "bigint", "JSON",
)  # fmt: skip
