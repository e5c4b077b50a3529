"""Calibration: from what was measured back to the parameters of a scene, with their uncertainty. See `repose.calibrate`."""

from repose.calibration.calibrate import calibrate
from repose.calibration.result import Calibration

__all__ = ["Calibration", "calibrate"]
