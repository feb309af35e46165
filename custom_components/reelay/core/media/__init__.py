"""What films and series are called and how they are numbered and packed: facts about words, without any I/O."""
