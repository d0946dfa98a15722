"""The verifier: from the bytes of a table's log to three verdicts, with no server and no framework.

Source: transcript format ``ttx v1``, Offline verification.
"""

from verify.verdicts import SEED_CHOSEN, Report, Verdict
from verify.verifier import verify

__all__ = ["SEED_CHOSEN", "Report", "Verdict", "verify"]
