"""What can be wrong with the configuration of Codex."""

import json
from pathlib import Path

from cli.broken.patient import Fault, Patient

DROPS, SKIPPED = "drops the whole file", "skipped in silence"
INSTALL, TRUST = "coord install", "`/hooks`"


def hooks_are_gone(p: Patient) -> Fault:
    p.hooks.unlink()
    return Fault(p.hooks, "the hooks file is not there", INSTALL)


def hooks_without_ours(p: Patient) -> Fault:
    return Fault(p.write(p.hooks, {"hooks": {}}), "no hooks of ours", INSTALL)


def hooks_with_a_comment(p: Patient) -> Fault:
    p.hooks.write_text(p.hooks.read_text() + "// mine")
    return Fault(p.hooks, DROPS, "correct it")


def byte_order_mark(p: Patient) -> Fault:
    p.hooks.write_bytes(b"\xef\xbb\xbf" + p.hooks.read_bytes())
    return Fault(p.hooks, f"it begins with a byte-order mark, so Codex {DROPS}", "out of it")


def unknown_key_at_the_top(p: Patient) -> Fault:
    return Fault(
        p.edit(p.hooks, version=1),
        f'"version" at the top, which Codex does not know, so Codex {DROPS}',
        "out of it",
    )


def fraction_in_a_time_out(p: Patient) -> Fault:
    return Fault(
        p.entry(p.hooks, "Stop", timeout=2.5), f"2.5, which is no whole number, so Codex {DROPS}", "out of it"
    )


def entry_of_another_type(p: Patient) -> Fault:
    return Fault(p.entry(p.hooks, "Stop", type="http"), f"of the type 'http', so Codex {DROPS}", "out of it")


def event_is_missing(p: Patient) -> Fault:
    hooks = json.loads(p.hooks.read_text())["hooks"]
    del hooks["Interrupt"]
    return Fault(p.edit(p.hooks, hooks=hooks), "missing for Interrupt", INSTALL)


def never_trusted(p: Patient) -> Fault:
    p.config.unlink()
    return Fault(p.config, f"15 untrusted: what is not trusted is {SKIPPED}, so NOTHING guards", TRUST)


def changed_since_it_was_trusted(p: Patient) -> Fault:
    p.entry(p.hooks, "PreToolUse", timeout=11)
    return Fault(p.config, "14 trusted, 1 modified", TRUST)


def pushed_from_its_place(p: Patient) -> Fault:
    hooks = json.loads(p.hooks.read_text())["hooks"]
    hooks["PreToolUse"].insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    p.edit(p.hooks, hooks=hooks)
    return Fault(p.config, "NOTHING guards", TRUST)


def switched_off_by_the_user(p: Patient) -> Fault:
    p.config.write_text(p.config.read_text().replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
    return Fault(p.config, "14 trusted, 1 disabled", "take `enabled = false` out of")


def feature_is_off(p: Patient) -> Fault:
    p.config.write_text(p.config.read_text() + "[features]\nhooks = false\n")
    return Fault(p.config, "switches all hooks off", "take that line out")


def feature_is_off_by_its_old_name(p: Patient) -> Fault:
    p.config.write_text(p.config.read_text() + "[features]\ncodex_hooks = false\n")
    return Fault(p.config, "switches all hooks off", "take that line out")


def config_is_no_toml(p: Patient) -> Fault:
    p.config.write_text("= broken")
    return Fault(p.config, "it is no TOML", "correct it")


def plugin_is_not_trusted(p: Patient) -> Fault:
    p.plug_into_codex()
    p.config.write_text(p.config.read_text().partition("[hooks")[0])
    return Fault(p.config, "15 hooks of the plugin installed, 15 untrusted", TRUST)


def plugin_is_off(p: Patient) -> Fault:
    p.plug_into_codex()
    p.config.write_text(p.config.read_text().replace("enabled = true", "enabled = false"))
    return Fault(p.hooks, "the hooks file is not there", INSTALL)


def plugin_without_its_files(p: Patient) -> Fault:
    plugin = p.plug_into_codex()
    Path(plugin.root, "coordhooks/hook.py").unlink()
    return Fault(Path(plugin.root), "its files are gone", "`codex plugin remove coordhooks@coordhooks`")
