"""Crawls for whole websites (Ester, Kriegel and Schubert, 2004): policies, models, stored sites.

The formulas are in `learning.sites`; what users see of the sites is in `app.services.sites`.
"""
