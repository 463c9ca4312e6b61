"""What is wrong with a setting; both kinds are ValueErrors, a wrong type is a TypeError too."""


class ConfigError(ValueError):
    """A key that does not exist, a value that cannot be, or a file that cannot be read."""


class ConfigTypeError(ConfigError, TypeError):
    """A value of a type that the key does not take."""
