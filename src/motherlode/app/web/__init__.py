"""The web application: pages made on the server, forms that work without scripts, scripts where they help."""
