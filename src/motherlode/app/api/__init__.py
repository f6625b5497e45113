"""The API, `/api/v1`: the commands of the command line under the same names, in JSON.

Routes read requests, ask services and start jobs; they never read tables.
"""
