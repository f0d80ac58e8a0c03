"""Explainers under one contract: ``fit(model, graphs)``, ``explain(target)``, ``explain_all()``."""
