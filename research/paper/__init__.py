"""The paper's experiments, item by item: measured cell by cell, kept, and written beside the paper's own numbers."""
