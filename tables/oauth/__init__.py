"""Applications of others that act for a player: OAuth 2, authorization code with PKCE."""
