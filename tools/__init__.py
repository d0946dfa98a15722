"""Programs for those who work on the API: what the document promises, fuzzing, generated clients."""
