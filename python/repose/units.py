"""Quantities: bare numbers are SI; quantities of pint, and of anything else with `magnitude` and `units`, carry their unit."""

from typing import Any

from repose.errors import InputError
from repose.native import lib, text


def is_quantity(value: Any) -> bool:
    return hasattr(value, "magnitude") and hasattr(value, "units")


def si(value: Any) -> Any:
    """The number of a quantity in SI; other values as they are."""
    return value.to_base_units().magnitude if is_quantity(value) else value


def scene_text(value: Any) -> str:
    """A value as a scene writes it: `4 mm` for a quantity of 4 mm, digits enough for the same bits, `[1, 2]` for a list."""
    if is_quantity(value):
        return f"{scene_text(value.magnitude)} {value.units:~C}".replace("**", "^")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "tolist"):  # of NumPy
        return scene_text(value.tolist())
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(scene_text(item) for item in value) + "]"
    return str(value)


def attach(values: Any, unit: str) -> Any:
    """Values with their unit as a quantity of pint."""
    try:
        import pint
    except ImportError as missing:
        raise ImportError("units come from pint: pip install pint") from missing
    return pint.get_application_registry().Quantity(  # type: ignore[no-untyped-call]
        values, "" if unit in ("-", "1") else unit
    )


def contact_unit(name: str) -> str:
    """The unit of a member of rps_contact; "1": a pure number."""
    unit = lib.repose_contact_unit(name.encode())
    if not unit:
        raise InputError(f"contacts have no field {name!r}")
    return text(unit)
