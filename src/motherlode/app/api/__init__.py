"""The API, `/api/v1`: what the command line does, under the same names, in JSON."""
