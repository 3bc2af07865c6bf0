"""Points, crosstable, tie-breaks and standings: pure, but for `store`, which writes the rows."""
