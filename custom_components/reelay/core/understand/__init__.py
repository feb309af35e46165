"""From a message to facts: links with their codes, what the words say, who it is, and how sure that is."""
