"""The kernels of CB-OR, and the radii of clusters in their spaces (SPEC F2).

Babaria and others (ICML 2007), section 2.2. With kappa = sqrt(eta / (1 - eta)) a cluster of sigma
becomes a ball of radius

    kappa sigma                                     linear kernel x.y
    sqrt(2 (1 - exp(-s (kappa sigma)^2)))           Gaussian kernel exp(-s |x - y|^2)
"""

from enum import StrEnum
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats

Rows: TypeAlias = Floats | csr_array


class Kernel(StrEnum):
    """How points are compared."""

    LINEAR = "linear"
    GAUSSIAN = "gaussian"


def kappa(eta: float) -> float:
    """Return how many sigmas a ball has, if a share `eta` of a cluster has to be on its side.

    >>> kappa(0.5), round(kappa(0.9), 9)
    (1.0, 3.0)
    """
    return float(np.sqrt(eta / (1.0 - eta)))


def ball_radii(sigmas: Floats, eta: float, kernel: Kernel, width: float) -> Floats:
    """Return the radius of each cluster's ball; `width` is s, for the Gaussian kernel."""
    radii: Floats = kappa(eta) * sigmas
    if kernel is Kernel.GAUSSIAN:
        radii = np.sqrt(-2.0 * np.expm1(-width * radii**2))
    return radii


def kernel_matrix(rows: Rows, centres: Floats, kernel: Kernel, width: float) -> Floats:
    """Return the kernel of each row with each centre."""
    dots: Floats = np.asarray(rows @ centres.T)
    if kernel is Kernel.LINEAR:
        return dots
    squares = np.asarray((rows * rows).sum(axis=1)).reshape(-1, 1)
    apart = np.maximum(squares - 2.0 * dots + (centres**2).sum(axis=1), 0.0)
    similarities: Floats = np.exp(-width * apart)
    return similarities
