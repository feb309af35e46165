"""Sources hand messages to a sink, each in its own way. They know nothing of what happens to them."""
