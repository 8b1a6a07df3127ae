"""Questions for a class: the predictions' questions, as data for phones."""
