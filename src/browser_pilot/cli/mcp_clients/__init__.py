"""MCP clients: where each keeps its servers, in which form, and adding Browser Pilot to that file.

client_table  the clients: file, format, and the form of an entry
jsonc         JSON with comments: read, and set one member without touching the rest (pure)
documents     the same for every format (pure)
config_file   reads, backs up and replaces a client's file
"""
