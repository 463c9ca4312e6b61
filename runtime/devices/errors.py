"""What goes wrong with devices: one exception tree."""


class DeviceError(RuntimeError):
    """A call of a vendor's software failed.

    `call`: the function, as the vendor names it.  `code`, `name`, `text`: the vendor's number, name
    and sentence; the two vendors number errors differently.
    """

    def __init__(
        self, message: str, call: str = "", code: int = 0, name: str = "", text: str = ""
    ) -> None:
        super().__init__(message)
        self.call = call
        self.code = code
        self.name = name
        self.text = text


class UnsupportedError(DeviceError):
    """The device, its driver or its platform cannot do what was asked."""


class DeviceUnavailableError(DeviceError):
    """A platform has no usable device here; the text is the reason, and says what to do."""


class VisibleDevicesError(DeviceUnavailableError):
    """The variables that choose devices contradict each other."""
