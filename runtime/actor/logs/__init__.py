"""The output of processes: marked, read, remembered, aggregated and shown."""
