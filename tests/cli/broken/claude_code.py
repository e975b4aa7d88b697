"""What can be wrong with the settings of Claude Code."""

import json

from harness.git import git

from cli.broken.patient import Fault, Patient

NOTHING, IGNORED = "nothing guards its writes", "ignores the file whole"
INSTALL, EDIT = "coord install", "correct it"


def settings_are_gone(p: Patient) -> Fault:
    p.settings.unlink()
    return Fault(p.settings, "the settings file is not there, so " + NOTHING, INSTALL)


def settings_without_our_hooks(p: Patient) -> Fault:
    p.write(
        p.settings, {"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    )
    return Fault(p.settings, NOTHING, INSTALL)


def settings_of_malformed_groups(p: Patient) -> Fault:
    p.write(p.settings, {"hooks": {"Stop": [None, {"hooks": 3}]}})
    return Fault(p.settings, NOTHING, INSTALL)


def comment(p: Patient) -> Fault:
    p.settings.write_text("// mine\n" + p.settings.read_text())
    return Fault(p.settings, IGNORED, EDIT)


def trailing_comma(p: Patient) -> Fault:
    p.settings.write_text(p.settings.read_text()[:-1] + ",}")
    return Fault(p.settings, IGNORED, EDIT)


def list_at_the_top(p: Patient) -> Fault:
    p.settings.write_text("[]")
    return Fault(p.settings, "no JSON object", EDIT)


def folder_in_the_place_of_settings(p: Patient) -> Fault:
    p.settings.unlink()
    p.settings.mkdir()
    return Fault(p.settings, "can't be read", EDIT)


def model_of_the_wrong_type(p: Patient) -> Fault:
    return Fault(p.edit(p.settings, model=5), '"model" is not a string', EDIT)


def rules_of_the_wrong_type(p: Patient) -> Fault:
    return Fault(p.edit(p.settings, permissions={"allow": "x"}), '"permissions.allow" is not a list', EDIT)


def all_hooks_off(p: Patient) -> Fault:
    return Fault(p.edit(p.settings, disableAllHooks=True), "NO hook runs", 'take "disableAllHooks" out')


def all_hooks_off_in_the_project(p: Patient) -> Fault:
    path = p.write(p.repo / ".claude/settings.json", {"disableAllHooks": True})
    return Fault(path, "NO hook runs", 'take "disableAllHooks" out')


def all_hooks_off_locally(p: Patient) -> Fault:
    path = p.write(p.repo / ".claude/settings.local.json", {"disableAllHooks": True})
    return Fault(path, "NO hook runs", 'take "disableAllHooks" out')


def all_hooks_off_by_the_organisation(p: Patient) -> Fault:
    path = p.write(p.managed / "managed-settings.json", {"disableAllHooks": True})
    return Fault(path, "NO hook runs", "ask who manages this machine")


def only_hooks_of_the_organisation(p: Patient) -> Fault:
    path = p.write(p.managed / "managed-settings.d/10.json", {"allowManagedHooksOnly": True})
    return Fault(path, "only hooks of your organisation run", "ask who manages this machine")


def event_is_missing(p: Patient) -> Fault:
    hooks = json.loads(p.settings.read_text())["hooks"]
    del hooks["Stop"]
    return Fault(p.edit(p.settings, hooks=hooks), "missing for Stop", INSTALL)


def class_of_tools_is_missing(p: Patient) -> Fault:
    hooks = json.loads(p.settings.read_text())["hooks"]
    del hooks["PreToolUse"][2]
    return Fault(p.edit(p.settings, hooks=hooks), "PreToolUse are not as we wrote them", INSTALL)


def matcher_was_changed(p: Patient) -> Fault:
    path = p.group(p.settings, "PreToolUse", matcher="Write")
    return Fault(path, "PreToolUse are not as we wrote them", INSTALL)


def failures_let_writes_through(p: Patient) -> Fault:
    path = p.entry(p.settings, "PreToolUse", onFailure=None)
    return Fault(path, "PreToolUse are not as we wrote them", INSTALL)


def interpreter_is_gone(p: Patient) -> Fault:
    text = p.settings.read_text().replace(
        '"/bin/sh", "' + str(p.program), '"/no/python3", "' + str(p.program)
    )
    p.settings.write_text(text)
    return Fault(p.settings, "interpreter of the hooks is gone: /no/python3", "install.sh")


def project_hooks_in_a_subfolder(p: Patient) -> Fault:
    path = p.move_hooks(p.repo / ".claude/settings.json")
    p.cwd = p.repo / "src"
    return Fault(path, "does not read it when started in a subfolder", f"start it in {p.repo}")


def project_hooks_in_a_worktree(p: Patient) -> Fault:
    path = p.move_hooks(p.repo / ".claude/settings.json")
    p.cwd = p.repo / ".claude/worktrees/x"
    git(p.repo, "worktree", "add", "-q", str(p.cwd))
    return Fault(path, "does not read it when started in another worktree", f"start it in {p.repo}")


def project_hooks_with_a_comment(p: Patient) -> Fault:
    path = p.move_hooks(p.repo / ".claude/settings.local.json")
    path.write_text(path.read_text() + "// mine")
    return Fault(path, IGNORED, EDIT)


def plugin_is_off(p: Patient) -> Fault:
    path = p.write(p.settings, {"enabledPlugins": {"coordhooks@coordhooks": False}})
    return Fault(path, "plugin is switched off", "`claude plugin enable coordhooks@coordhooks`")


def plugin_is_off_in_the_project(p: Patient) -> Fault:
    p.write(p.settings, {"enabledPlugins": {"coordhooks@coordhooks": True}})
    path = p.write(p.repo / ".claude/settings.json", {"enabledPlugins": {"coordhooks@coordhooks": False}})
    return Fault(path, "plugin is switched off", "`claude plugin enable coordhooks@coordhooks`")


def group_of_others_is_malformed(p: Patient) -> Fault:
    hooks = json.loads(p.settings.read_text())["hooks"]
    hooks["PreToolUse"].append(None)
    return Fault(
        p.edit(p.settings, hooks=hooks),
        "group 4 of PreToolUse is not an object, so Claude Code " + IGNORED,
        EDIT,
    )


def no_number_of_json(p: Patient) -> Fault:
    return Fault(p.edit(p.settings, x=float("nan")), "NaN is no value of JSON", EDIT)
