"""What a viewer may know of a game: the only way out for hidden information."""
