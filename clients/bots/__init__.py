# SPDX-License-Identifier: MIT
"""Bots to begin with: a file each, under 100 lines, that plays any game.  Change ``choose``."""
