"""The stdio adapter: what an MCP client starts. It pumps lines between its client and the hub, and starts the hub.

Standard library only, so that a client sees a reply almost at once. It is no MCP server: nothing is translated. It
only remembers what it needs to stand in when the hub is lost: the open requests and the client's handshake.

    messages   what a line is (pure)
    answers    what the adapter says itself (pure)
    options    the command line of one client
    link       a connection to the hub; finding, starting and replacing a hub
    connection what is open on one link
    pump       the lines in both directions, from the first to the end of standard input
"""
