"""Where HIP's parameter lists differ from CUDA's, by the name of the CUDA function.

Read off by comparing every prototype of CUDA 11.8, 12.9 and 13.0 (runtime and driver headers) with
that of its HIP counterpart in the headers of ROCm 6.2 and 7.1, and with AMD's Python stubs of 6.2,
6.4, 7.0, 7.1 and 7.2 for the release in which a form appeared.
"""

from typing import Final

from porting.rules.api.driver_forms import DRIVER_FORMS
from porting.rules.api.forms import Signature
from porting.rules.api.library_forms import LIBRARY_FORMS
from porting.rules.api.runtime_forms import RUNTIME_FORMS

SIGNATURES: Final[dict[str, tuple[Signature, ...]]] = {}
for _form in (*RUNTIME_FORMS, *DRIVER_FORMS, *LIBRARY_FORMS):
    SIGNATURES[_form.name] = (*SIGNATURES.get(_form.name, ()), _form)
