"""Drives are verbs: each answers with a typed value or a classed error and contains no rule."""
