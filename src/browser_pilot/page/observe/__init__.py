"""Observes pages apart from actions: console, network, cookies and storage, traces, heap size, hung pages."""
