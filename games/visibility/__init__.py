"""What a viewer may know of a game. Hidden information leaves the platform only through this package."""
