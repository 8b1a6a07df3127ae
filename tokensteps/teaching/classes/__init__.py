"""What a class is asked: the predictions' questions, as data that travels to phones."""
