"""Bots of other people: uploads and their admission, comparison, remote bots, and the kit for authors."""
