"""Telling people: the dispatcher of the outbox. Rendering and sending are the face's."""
