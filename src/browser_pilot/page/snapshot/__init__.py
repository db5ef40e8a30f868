"""What an agent sees of a page: snapshots as rows, diffs between them, content, screenshots."""
