"""The hooks as processes: started by a fake harness, as the installer's entries start them.

``agent.py`` plays the harness, ``world.py`` is the machine it runs on. Cases that need no set-up of their own
are files in ``cases/``.
"""
