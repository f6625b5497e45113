"""What documents are compared by: feature spaces, tf-idf weights, word vectors and fingerprints.

Estimators that learn from these features belong to `learning`.
"""
