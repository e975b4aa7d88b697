"""Handles: five everyday words for an id that nobody can read aloud. An alias, never a secret."""

from coordhooks.errors import BadArgument

RUNTIME, CONVERSATION, WORK = "runtime", "conversation", "work"
NAMESPACES = (RUNTIME, CONVERSATION, WORK)

# 128 words, one for each seven bits; the order is part of the format and never changes.
_VOCABULARY = (
    "acorn amber anchor apple arrow aspen atlas autumn badger bamboo basil beacon birch bison blossom breeze "
    "brook bronze cabin cactus canyon cedar chalk cherry cinder cliff clover cobalt comet copper coral cosmos "
    "cotton crane creek crystal cypress dahlia dawn delta desert dolphin dune eagle ember falcon fern fjord "
    "flint forest fox frost garnet ginger glacier granite grove harbor hazel heron hickory honey indigo iris "
    "island ivory jade jasper juniper kestrel lagoon lantern larch lava lemon lilac linden lotus lunar "
    "lynx magnet maple marble marsh meadow mesa mint mist moss nectar nova oak oasis ocean olive onyx opal "
    "orbit orchid otter owl panda pebble pepper pine plum polar pollen poplar prairie quartz raven reef river "
    "robin saffron sage sequoia shadow silver solar spruce summit thistle tiger timber tulip willow"
)
WORDS = _VOCABULARY.split()


def friendly_handle(value: str, namespace: str) -> str:
    """The handle of ``value`` in a namespace: SHA-256 of ``namespace NUL value``, its first 35 bits."""
    if namespace not in NAMESPACES:
        raise BadArgument(f"unknown namespace {namespace!r}: use one of {', '.join(NAMESPACES)}")
    if not value:
        raise BadArgument("a handle needs a value")
    from coordhooks.digest import sha256

    digest = sha256(f"{namespace}\0{value}".encode("utf-8", "surrogatepass")).digest()
    bits = int.from_bytes(digest[:5], "big") >> 5
    return "-".join(WORDS[bits >> shift & 0x7F] for shift in (28, 21, 14, 7, 0))


def same(one: str, other: str) -> bool:
    """Compare two aliases in constant time."""
    from hmac import compare_digest

    return compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
