"""Row-wise operators of a recommendation model: norms, outliers, embeddings pooled in half precision."""

import torch
from rowops import _C


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Return each row divided by its root mean square, times the weight."""
    return _C.rms_norm(x, weight, eps)


def outliers(x: torch.Tensor, threshold: float) -> torch.Tensor:
    """Return the columns of each row whose magnitude is above a threshold, then -1."""
    return _C.outliers(x, threshold)


def max_pool(rows: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return the largest values of the rows of each bag, from its offset to the next one's."""
    return _C.max_pool(rows, offsets)
