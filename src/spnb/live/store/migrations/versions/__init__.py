"""One step for each change of the tables; a step that has been released is never edited."""
