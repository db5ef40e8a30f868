"""Pointing at what is no single element: points of the viewport, and drags."""
