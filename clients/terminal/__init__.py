# SPDX-License-Identifier: MIT
"""A client for the terminal that plays any game, on the client that a generator made of the document."""
