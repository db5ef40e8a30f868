"""Settings, the policy rules compiled from them, the rules that users made, and reloading both while the hub runs."""
