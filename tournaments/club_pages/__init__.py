"""The pages of clubs, and their forms."""
