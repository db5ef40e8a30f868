"""The stdio adapter: the process that an MCP client starts. It forwards lines between its client and the hub.

Standard library only, so that it starts fast. It is no MCP server and translates nothing. It remembers only what it
needs when the hub is lost (the open requests and the client's ``initialize``), and on disk what the last hub responded
to a client's first requests.

    jsonrpc          parses a line into a message (pure)
    fallback_errors  the error responses that the adapter writes itself (pure)
    options          the command line of one client
    hub_socket       the socket to the hub
    hub_restart      finds, starts and replaces the hub
    hub_connection   one hub socket with its open requests
    response_cache   responses to a client's first requests, for the time in which a hub starts
    stdio_proxy      forwards lines in both directions until standard input ends
"""
