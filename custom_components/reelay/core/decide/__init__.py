"""What is to become of an offer: a verdict with all its reasons, from facts and the owner's policy."""
