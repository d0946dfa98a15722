"""Crash safety: a running installation, simulated players, kills by pid, and a checker of what they left.

``python -m faults`` (``make faults``).  Drills put an installation under load and faults, evidence is read
from its database afterwards, the checker judges that evidence against what the players were told.
"""
