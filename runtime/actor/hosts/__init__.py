"""Other hosts as a gateway knows them: addresses, credentials, connections and ends."""
