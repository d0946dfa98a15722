"""The development stack: servers from wheels, the processes of Posta, and what stops them.

Knows processes, sockets and folders.  It knows neither Django nor the domain: the
application is a list of commands (``processes``) that are given addresses in their
environment.
"""
