"""Explanations judged by all metrics at once, one explainer or several side by side."""
