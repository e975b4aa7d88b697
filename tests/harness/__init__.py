"""The rig: starts the real programs against a scripted model server on the loopback.

``claude.py`` starts Claude Code, ``scripted_model.py`` is the model it talks to, ``fetch.py`` gets the programs,
``safe_home.py`` keeps every test out of the developer's home. ``test_rig.py`` shows how tests are written.
"""
