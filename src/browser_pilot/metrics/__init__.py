"""Metrics of the hub: Prometheus counters, and memory of its processes."""
