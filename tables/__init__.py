"""Tables: people, seats, time and HTTP around the pure engines and the event store."""
