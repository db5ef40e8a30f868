"""Saves files from pages.

downloadable       what to save, and the file as a stream
page_fetch         fetched by the page
browser_fetch      fetched by the browser, in a hidden tab
browser_download   downloaded by the browser, started by a page or by us
download_progress  progress of the browser's own downloads
transfers          the client's downloads, and what all ways of saving share
managed_browser    saves through the hub into its download folder
user_chrome        saves in the user's Chrome, into the user's download folder
download_errors    the errors of all of them
"""
