"""What people read and see of a game, made from what the viewer may know: words, thumbnails, positions, highlights."""
