"""Starts coordhooks.hook from wherever it lies. Arguments: that folder, a warning, then those of the hook.

What can't be imported is a half removed installation: warn and let the call pass, for a failure here would block
every write, that of the repair included. Later failures belong to coordhooks.hook.main.
"""

import gc
import sys

gc.disable()  # this process ends before any garbage could matter
root, warning = sys.argv[1:3]
del sys.argv[1:3]
sys.path.insert(0, root)
if sys.pycache_prefix:  # a plugin has no packages in its own folder
    sys.path.append(f"{sys.pycache_prefix}/../env/site")
try:
    try:
        from marshal import loads

        bundle = open(f"{root}/coordhooks/bundle-{sys.implementation.cache_tag}.bin", "rb", 0)  # noqa: SIM115
        exec(loads(bundle.read(int.from_bytes(bundle.read(4), "big"))))  # see coordhooks/bundle.py
    except Exception:  # noqa: BLE001, S110 - there is none for this interpreter, or it is damaged
        pass
    if "PluginStart" in sys.argv:
        from coordhooks.install.packages import main
    else:
        from coordhooks.hook import main
except Exception:  # noqa: BLE001 - a file that was cut short may raise anything
    print(warning)
else:
    sys.exit(main())
