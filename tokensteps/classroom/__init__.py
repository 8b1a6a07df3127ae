"""A class, live: everybody at the lecturer's step, questions to all, what the room thinks."""
