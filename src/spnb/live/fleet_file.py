"""A fleet in a file: a NumPy archive with a header that says what the arrays are."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from spnb.base.errors import DataError, SpnbError
from spnb.base.files import write_whole
from spnb.base.version import own_version
from spnb.base.words import said, shown
from spnb.live.fleet import Fleet
from spnb.live.learner import FORM

KIND, VERSION = "spnb fleet", 2
HEADER = "header"
PASSING = ("seat.offered", "seat.pulls")  # said anew with every offer
TOLD = ("horizon", "seed", "hardness")
# What NumPy and zipfile raise where bytes are not what they were.
DAMAGE = (ValueError, KeyError, TypeError, EOFError, OSError, BadZipFile, zlib.error)


def save(fleet: Fleet, path: Path) -> None:
    """Write the fleet, whole or not at all."""
    header = {
        "kind": KIND, "version": VERSION, "form": FORM, "spnb": own_version(),
        "agent": str(fleet.agent), "arms": fleet.arms, "ids": [fleet.ids.start, fleet.ids.stop],
        "round": fleet.round, "position": fleet.position,
        **{name: getattr(fleet, name) for name in TOLD},
    }  # fmt: skip
    arrays = dict(_kept(fleet))
    arrays[HEADER] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)

    def write(draft: Path) -> None:
        with draft.open("wb") as file:
            np.savez(file, **arrays)  # NumPy 2.0 takes allow_pickle= for an array

    write_whole(path, write)


def load(path: Path) -> Fleet:
    """The fleet that ``save`` wrote."""
    try:
        with path.open("rb") as file:
            return _read(file)
    except SpnbError as error:
        raise DataError(f"cannot load {path}: {error}") from None
    except FileNotFoundError:
        raise DataError(f"cannot load {path}: there is no such file") from None
    except DAMAGE as error:
        raise DataError(
            f"cannot load {path}: it is no saved fleet, or damaged: {said(error)}"
        ) from error


def _read(file: Any) -> Fleet:
    with np.lib.npyio.NpzFile(file, allow_pickle=False) as archive:
        header = json.loads(archive[HEADER].tobytes())
        _check(header)
        first, stop = header["ids"]
        told = {name: header[name] for name in TOLD}
        shape = archive["state.policy.pulls"].shape
        if shape != (stop - first, header["arms"]):  # before memory is asked for
            raise DataError(f"it is damaged: its arrays are of another size, {shape}")
        fleet = Fleet(header["agent"], header["arms"], range(first, stop), **told)
        fleet.round, fleet.position = header["round"], header["position"]
        for name, array in _kept(fleet):
            saved = archive[name]
            if saved.dtype != array.dtype or saved.shape != array.shape:
                raise DataError(
                    f"it is damaged: {name} should be {array.dtype} of shape {array.shape}, "
                    f"got {saved.dtype} of shape {saved.shape}"
                )
            array[...] = saved
    if not fleet.runs.sound():
        raise DataError("it is damaged: a campaign means an arm that is not there")
    return fleet


def _check(header: Any) -> None:
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise DataError("it is no saved fleet")
    version = header["version"]
    if version != VERSION:
        raise DataError(
            f"it is of version {shown(version)}, written by spnb {shown(header.get('spnb'))}; "
            f"this spnb reads version {VERSION}"
        )
    if header["form"] != FORM:
        raise DataError(
            f"its campaigns decide in form {shown(header['form'])}, written by spnb "
            f"{shown(header.get('spnb'))}; this spnb decides in form {FORM}"
        )
    whole = [*header["ids"], header["arms"], header["round"], header["position"]]
    if any(type(number) is not int or number < 0 for number in whole):
        raise DataError("it is damaged: its header has a number that is not whole")
    if header["position"] > header["arms"]:
        raise DataError("it is damaged: its next offer lies beyond the last arm")


def _kept(fleet: Fleet) -> Iterator[tuple[str, Any]]:
    return ((name, array) for name, array in fleet.arrays() if name not in PASSING)
