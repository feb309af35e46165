"""The steps of the dialogs, one file per subject. They import the standard library and Home Assistant only."""
