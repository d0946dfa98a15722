"""What a table has to tell the people who sit at it: in the app, and by mail.

``announcing`` writes rows of the outbox in the transaction of what happened; ``delivering`` makes
of each, if it is still true, a notice in its receiver's list; ``mailing`` sends those that are due by
the receiver's ``choices``, one mail for all of them.  ``words`` has every text, ``addresses`` who may
be mailed at all, ``reading`` what the API tells.

No notice holds a secret: its text follows from public facts of the table, and says neither what was
played nor who has won.
"""
