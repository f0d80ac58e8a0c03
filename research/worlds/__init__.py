"""Planted worlds: graphs whose classes are decided by known reasons, which explanations are held against."""
