"""What ``docs/security.md`` claims and no other test shows."""
