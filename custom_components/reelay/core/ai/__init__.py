"""Asking a language model: one client, the ways of asking for a form, and the endpoint that most owners have."""
