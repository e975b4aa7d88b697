"""Is a payload what its schema says? Generated from ``schemas/`` by ``make schemas``; don't edit them here.

One rule names them all:

- the input of one hook event is one module with one function,
  ``coordhooks.validators.<harness>_<event in snake case>.validate(data)``, so that a hook loads only its own;
- the payloads of the ledger are one module, ``coordhooks.validators.ledger``, with a function
  ``validate_<type in snake case>(data)`` each, and a table ``VALIDATORS`` of them by type.

Each returns ``data``, unchanged, or raises ``errors.ValidationError``. ``explain.explain`` says the same in
words, for people, at the price of ``jsonschema``.
"""
