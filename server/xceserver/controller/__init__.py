"""The one writer: takes commands in order, makes their events durable, then lets them be seen."""
