"""C headers of ROCm's libraries, declared from the API stubs that AMD publishes in wheels."""
