"""The purposes of forms: training, cross-validation over sites, and another program beside it."""
