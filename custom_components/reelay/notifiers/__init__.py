"""Ways to tell people. Importing this package imports nothing, because answers are listened to before set-up."""
