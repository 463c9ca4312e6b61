"""The name tables of `porting`: read vendor headers, pair the names, write the data files."""
