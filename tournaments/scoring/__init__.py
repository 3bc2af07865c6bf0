"""The mathematics of standings: points, crosstable, tie-breaks, order. Pure."""
