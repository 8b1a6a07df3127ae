"""A class, live: everybody at the lecturer's step, questions to all, the room's answers."""
