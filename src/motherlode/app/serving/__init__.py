"""What the web application and its API stand on: settings, security, the shelf of portals, jobs."""
