"""What becomes of a failure: a supervisor for each owner, a pure state machine; its policies."""
