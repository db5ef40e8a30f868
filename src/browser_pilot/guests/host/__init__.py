"""What guests may ask of the host: methods, permissions, HTTP, and the browser as a seam."""
