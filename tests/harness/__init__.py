"""The rig: starts the real programs against a scripted model server on the loopback.

``claude.py`` starts Claude Code, ``scripted_model.py`` is the model it talks to; ``codex.py`` and ``scripted_codex.py``
do so for Codex. ``gate.py`` decides in which order concurrent agents go on, ``fetch.py`` gets the programs,
``safe_home.py`` keeps every test out of the developer's home. ``test_rig.py`` shows how tests are written.
"""
