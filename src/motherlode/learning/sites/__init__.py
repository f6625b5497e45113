"""Formulas for whole websites: which pages a kind of site has, and which site is examined next.

Most are from Ester, Kriegel and Schubert (VLDB 2004), one file each, and none knows of crawls,
stores or URLs.
"""
