"""What is computed from bodies and contacts: fields, structure, mixing, surfaces. Arrays in, arrays out, SI units.

The functions take arrays as `World.bodies`, frames of `Results` and `World.contacts` give them, so they work on a running world, on
results, and on data of other programs.
"""

try:
    import scipy  # noqa: F401
except ImportError as missing:
    raise ImportError("repose.analysis needs SciPy: pip install scipy") from missing

from repose.analysis.fields import Fields, coarse_grain, granular_temperature, profile
from repose.analysis.mixing import lacey, residence_times, segregation
from repose.analysis.structure import (
    chains,
    clusters,
    coordination,
    fabric,
    force_distribution,
    radial_distribution,
    rattlers,
    stress,
)
from repose.analysis.surface import angle_of_repose, dynamic_angle

__all__ = [
    "Fields",
    "angle_of_repose",
    "chains",
    "clusters",
    "coarse_grain",
    "coordination",
    "dynamic_angle",
    "fabric",
    "force_distribution",
    "granular_temperature",
    "lacey",
    "profile",
    "radial_distribution",
    "rattlers",
    "residence_times",
    "segregation",
    "stress",
]
