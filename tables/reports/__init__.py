"""What organisers and arbiters take along of games that are over: the printed report, results as CSV.

Names of people come from rows beside the log, as they are today.
"""
