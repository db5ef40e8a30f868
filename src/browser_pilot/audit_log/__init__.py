"""What is written down about what the agent did, and what never is: the activity log, redaction, secrets, metrics."""
