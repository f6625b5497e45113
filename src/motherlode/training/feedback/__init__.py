"""What users say about pages, and what a training changes by it: marks, questions, moves, reasons.

Feedback on archetypes is BINGO!'s own and lives in `policies.bingo`.
"""
