"""The hub's web page in any browser of the user: agents, approval requests, the audit log, and pairing."""
