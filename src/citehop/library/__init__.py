"""A library on disk: papers, citations and the BM25 index in one folder."""
