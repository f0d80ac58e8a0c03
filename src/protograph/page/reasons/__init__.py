"""Reasons: which patterns together account for what a model does, checked on graphs kept apart."""
