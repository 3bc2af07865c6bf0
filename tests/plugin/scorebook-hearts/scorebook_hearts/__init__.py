"""The package of the kind Hearts."""
