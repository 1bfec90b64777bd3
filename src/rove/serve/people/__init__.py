"""People: who signs in with a password or an OpenID provider, what a role gives, and the keys made for programs."""
