"""The mathematics of standings: points, crosstable, tie-breaks, the order of rows. Pure."""
