"""The commands, one noun a file, each loaded only when it is called. What a hook shares with them is one level up."""
