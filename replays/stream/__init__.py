"""What happens in a game, told at once to those who watch, play in it, or let a bot play: server-sent events."""
