"""The tests of Posta: real PostgreSQL, real broker, real HTTP."""
