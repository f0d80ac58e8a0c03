"""Measurements that take longer than a test should; each prints a table and says how to read it."""
