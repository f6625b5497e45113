"""The web application: pages made on the server, forms that work without scripts, small scripts where they help."""
