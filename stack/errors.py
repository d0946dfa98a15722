"""What the stack says when it cannot go on."""


class StackError(Exception):
    """One sentence for the person at the terminal: what is wrong and what helps."""
