"""The dataset: all decisions of finished games as one Parquet file (docs/reference/dataset.md)."""
