"""From a share's file list to the files that are wanted, each with its own identity. Pure functions only."""
