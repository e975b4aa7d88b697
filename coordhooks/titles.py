"""A task's title: the first line of its prompt, cut, with what looks like a secret masked."""

import re

from coordhooks import quoting

LIMIT = 120
MASK = "***"

# Shapes of credentials that are known by their form, and anything that is named as one.
SECRETS = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}
    | \b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}
    | \bgh[opusr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{16,}
    | \bxox[abeoprs]-[\w-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{12,}
    | \bAIza[\w-]{30,}
    | (?<![\w-])ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[\w-]+)?
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    | (?i:(?<=bearer\s)|(?<=basic\s))[\w.~+/=-]{8,}
    | (?i:(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|credential)\w{0,32}["']?\s{0,8}(?:[:=]|\bis\b)\s{0,8})["']?[^\s"']{4,}
    | \b[A-Fa-f0-9]{32,}\b
    | \b(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])[A-Za-z0-9_+/=-]{28,}
    """,
    re.VERBOSE,
)


def title(prompt: str) -> str:
    """The first line with something on it, on one line, at most ``LIMIT`` characters; may be empty."""
    first = next((line for line in prompt.splitlines() if line.strip()), "")
    return quoting.line(masked(first[:2000]), LIMIT)


def masked(text: str) -> str:
    return SECRETS.sub(MASK, text)
