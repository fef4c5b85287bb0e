"""Ordinary classes as Numba types, parameters and states alike.

``self.c``, ``self.method(...)``, ``s.field``, ``s.field = x``, ``s.array[i]``, ``s.inner.field``
and ``s.method(...)`` mean in machine code what they mean in Python. A state is bare pointers into
one row of a batch: it owns nothing, so nobody counts who uses it, and whoever calls keeps the
batch alive. Public Numba API only.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import intrinsic, overload

from spnb.engine import dice, loop, maths, state
from spnb.engine.compiler import CannotCompileError
from spnb.engine.reach import NATIVE, digest, functions_of, reached
from spnb.engine.state import Batch

# The same errors as plain Python; everything in one piece of code, called from nowhere else.
OPTIONS = {"error_model": "python"}
INLINE = {**OPTIONS, "forceinline": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
NUMBERS = {float: types.float64, int: types.int64, bool: types.boolean}
DTYPES = {"f8": types.float64, "i8": types.int64, "b1": types.boolean, "u8": types.uint64}


class Object(types.Type):
    """Something with fields and methods; ``owner`` names the Python class and all that it does.

    A field is a number, an object, or (a state's) a pointer into a batch: its (type, number of
    axes, whether there is one for all runs). Every Python class has a type class of its own, so
    that methods of the same name do not meet.
    """

    def __init__(self, owner: str, members: tuple[tuple[str, Any], ...]) -> None:
        self.owner, self.members, self.kinds = owner, members, dict(members)
        mark = hashlib.sha256(repr((owner, members)).encode()).hexdigest()[:16]
        # Short: Numba hashes and spells out the name of a type thousands of times.
        super().__init__(f"{owner.split('-', maxsplit=1)[0]}_{mark}")

    def __reduce__(self) -> Any:
        return object_type, (self.owner, self.members)

    def inner(self) -> list[tuple[str, "Object"]]:
        return [(name, kind) for name, kind in self.members if isinstance(kind, Object)]

    def pointers(self) -> list[tuple[str, Any, int, bool]]:
        return [(name, *kind) for name, kind in self.members if isinstance(kind, tuple)]


class Model(extending.models.StructModel):
    """How an object lies in memory: words of eight bytes, one after the other."""

    def __init__(self, dmm: Any, fe: Object) -> None:
        members: list[tuple[str, Any]] = []
        for name, kind in fe.members:
            if isinstance(kind, tuple):
                members.append((name, types.CPointer(kind[0])))
                members += [(f"{name}.{axis}", types.intp) for axis in range(kind[1])]
            else:
                members.append((name, types.int64 if kind is types.boolean else kind))
        super().__init__(dmm, fe, members)


def object_type(owner: str, members: tuple[tuple[str, Any], ...]) -> Any:
    return type_class(owner)(owner, members)


@cache
def type_class(owner: str) -> Any:
    metaclass: Any = type(Object)
    cls = metaclass(f"Object_{owner}", (Object,), {})
    extending.register_model(cls)(Model)
    return cls


# What Numba must know of a class, a function or a value before it compiles a call of it.


_known: dict[Callable[..., Any], dict[str, Any]] = {}  # with the values that its code named
_owners: dict[tuple[Any, ...], str] = {}


def introduced(cls: type) -> str:
    """The name of a Python class and all that it does, once Numba knows its methods."""
    methods = functions_of(cls)
    introduce(*methods.values())
    place = (cls, *methods.values())
    if place not in _owners:
        owner = _owners[place] = f"{cls.__name__}-{digest(*methods.values())}"
        for name, function in methods.items():
            teach = extending.overload_method(
                type_class(owner), name, jit_options=INLINE, strict=False
            )
            teach(_found(function))
    return _owners[place]


def introduce(*functions: Callable[..., Any]) -> None:
    """Let Numba know every plain function that these call.

    What it has compiled keeps the values of then: if one of them is another now, the code is of no
    use any more, and there is no way to make it forget.
    """
    for function, values in reached(*functions).items():
        if function not in _known and function not in functions:
            overload(function, jit_options=INLINE, strict=False)(_found(function))
        before = _known.setdefault(function, values)
        for name, value in values.items():
            if before.get(name) is not value:
                raise CannotCompileError(
                    f"{function.__qualname__} was compiled with another {name} (start Python anew)"
                )


def _found(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(*args: Any) -> Any:
        return function

    find.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return find


def parameters(thing: object) -> list[tuple[str, Any]]:
    """What compiled code sees of an object: numbers and objects, as fields or as properties."""
    names = [field.name for field in fields(thing)]  # type: ignore[arg-type]
    for base in reversed(type(thing).__mro__):
        for name, value in vars(base).items():
            if name not in names and not name.startswith("_"):
                names += [name] if isinstance(value, property) or type(value) in NUMBERS else []
    values = [(name, getattr(thing, name)) for name in names]
    return [(n, v) for n, v in values if type(v) in NUMBERS or is_dataclass(v)]


def thing_type(thing: object) -> Any:
    members = tuple((n, NUMBERS.get(type(v)) or thing_type(v)) for n, v in parameters(thing))
    return object_type(introduced(type(thing)), members)


def state_type(batch: Batch) -> Any:
    members: list[tuple[str, Any]] = []
    for name, part in batch.parts.items():
        if isinstance(part, Batch):
            members.append((name, state_type(part)))
        else:
            kind, shape = batch.layout.fields[name]
            members.append((name, (DTYPES[kind.code], len(shape), kind.role != "own")))
    return object_type(introduced(batch.layout.cls), tuple(members))


def words(value: Any, typ: Object) -> Iterator[int]:
    """Parameters or a batch as ``Model`` has them in memory."""
    for name, kind in typ.members:
        part = getattr(value, name)
        if isinstance(kind, tuple):
            yield part.ctypes.data
            yield from part.shape[part.ndim - kind[1] :]
        elif isinstance(kind, Object):
            yield from words(part, kind)
        else:
            yield int(np.float64(part).view(np.int64)) if isinstance(part, float) else int(part)


class Argument:
    """Parameters or a batch on the way into compiled code, which it keeps alive."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.type = state_type(value) if isinstance(value, Batch) else thing_type(value)
        self._words = np.array(list(words(value, self.type)), np.int64)
        self.address = self._words.ctypes.data


@extending.typeof_impl.register(Argument)
def _typeof_argument(value: Argument, c: Any) -> Any:
    return value.type


@extending.unbox(Object)
def _unbox(typ: Object, obj: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(obj, "address")
    place = c.unbox(types.intp, address).value
    c.pyapi.decref(address)
    struct = c.context.get_value_type(typ).as_pointer()
    return extending.NativeValue(c.builder.load(c.builder.inttoptr(place, struct)))


@extending.infer_getattr
class ObjectAttributes(AttributeTemplate):
    key = Object

    def generic_resolve(self, typ: Object, attr: str) -> Any:
        kind = typ.kinds.get(attr)
        if not isinstance(kind, tuple):
            return kind
        return types.Array(kind[0], kind[1], "C") if kind[1] else kind[0]


@extending.lower_getattr_generic(Object)
def _get(context: Any, builder: Any, typ: Object, value: Any, attr: str) -> Any:
    struct = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    kind, member = typ.kinds[attr], getattr(struct, attr)
    if not isinstance(kind, tuple):
        return cgutils.is_not_null(builder, member) if kind is types.boolean else member
    dtype, axes, _ = kind
    if not axes:
        return context.unpack_value(builder, dtype, member)
    shape = [getattr(struct, f"{attr}.{axis}") for axis in range(axes)]
    return _bare_array(context, builder, dtype, member, shape)


def _bare_array(context: Any, builder: Any, dtype: Any, pointer: Any, shape: list[Any]) -> Any:
    """An array that nobody owns: there is no counting of who uses it."""
    array = cgutils.create_struct_proxy(types.Array(dtype, len(shape), "C"))(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(dtype))
    items, step = context.get_constant(types.intp, 1), context.get_constant(types.intp, size)
    strides: list[Any] = []
    for length in reversed(shape):
        strides.insert(0, step)
        step, items = builder.mul(step, length), builder.mul(items, length)
    array.data, array.nitems = pointer, items
    array.itemsize = context.get_constant(types.intp, size)
    array.shape, array.strides = (cgutils.pack_array(builder, x) for x in (shape, strides))
    array.meminfo = array.parent = cgutils.get_null_value(ir.IntType(8).as_pointer())
    return array._getvalue()


@extending.lower_setattr_generic(Object)
def _set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, (target, value) = sig.args[0], args
    struct = cgutils.create_struct_proxy(typ)(context, builder, value=target)
    dtype = typ.kinds[attr][0]
    value = context.cast(builder, value, sig.args[1], dtype)
    context.pack_value(builder, dtype, value, getattr(struct, attr))


# What compiled code calls where plain code calls a function of the same name.


def _own(builder: Any, struct: Any, typ: Object) -> Iterator[tuple[str, Any, Any]]:
    """Each field that is a run's own: its name, type, and how many numbers it has."""
    for name, dtype, axes, common in typ.pointers():
        if not common:
            length = ir.Constant(ir.IntType(64), 1)
            for axis in range(axes):
                length = builder.mul(length, getattr(struct, f"{name}.{axis}"))
            yield name, dtype, length


def _moved(context: Any, builder: Any, typ: Object, value: Any, number: Any) -> Any:
    struct = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    for name, kind in typ.inner():
        setattr(struct, name, _moved(context, builder, kind, getattr(struct, name), number))
    for name, _, length in _own(builder, struct, typ):
        step = builder.mul(number, length)
        setattr(struct, name, builder.gep(getattr(struct, name), [step]))
    return struct._getvalue()


def _cleared(context: Any, builder: Any, typ: Object, value: Any) -> None:
    struct = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    for name, kind in typ.inner():
        _cleared(context, builder, kind, getattr(struct, name))
    for name, dtype, length in _own(builder, struct, typ):
        size = context.get_abi_sizeof(context.get_data_type(dtype))
        span = builder.mul(length, context.get_constant(types.intp, size))
        cgutils.memset(builder, getattr(struct, name), span, 0)


@intrinsic
def _row(typingctx: Any, batch: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = context.cast(builder, args[1], sig.args[1], types.intp)
        return _moved(context, builder, sig.args[0], args[0], place)

    return batch(batch, number), codegen


@intrinsic
def _reset(typingctx: Any, view: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _cleared(context, builder, sig.args[0], args[0])
        return context.get_dummy_value()

    return types.void(view), codegen


overload(loop.row)(lambda batch, number: lambda batch, number: _row(batch, number))
overload(state.reset)(lambda state: lambda state: _reset(state))
overload(maths.ratio, jit_options={**INLINE, "error_model": "numpy"})(
    lambda a, b: lambda a, b: a / b
)


@overload(dice.unit, jit_options=INLINE)
def _unit(key: Any, count: Any) -> Any:
    weyl, mix1, mix2 = (np.uint64(n) for n in (dice.WEYL, dice.MIX1, dice.MIX2))
    by30, by27, by31, by11 = (np.uint64(n) for n in (30, 27, 31, 11))
    to_unit = dice.TO_UNIT

    def unit(key: Any, count: Any) -> Any:
        z = key + np.uint64(count) * weyl
        z = (z ^ (z >> by30)) * mix1
        z = (z ^ (z >> by27)) * mix2
        return ((z ^ (z >> by31)) >> by11) * to_unit

    return unit


def _elementary(function: Callable[..., float]) -> None:
    native = getattr(import_module("math"), function.__name__)
    overload(function, jit_options=INLINE)(lambda x: lambda x: native(x))


def _special(function: Callable[..., float], inputs: int) -> None:
    """SciPy's function by symbol, not by address: an address could not be kept on disk."""
    module, name = "scipy.special.cython_special", function.__name__
    # Where SciPy has the function in two precisions, the first of them is double.
    exact = name if name in import_module(module).__pyx_capi__ else f"__pyx_fuse_0{name}"
    address = extending.get_cython_function_address(module, exact)
    llvmlite.binding.add_symbol(f"spnb_{name}", address)
    number = types.float64
    native = types.ExternalFunction(f"spnb_{name}", number(*[number] * inputs, types.intc))
    if inputs == 1:
        overload(function)(lambda x: lambda x: native(x, 0))
    else:
        overload(function)(lambda a, b, x: lambda a, b, x: native(a, b, x, 0))


for _each in maths.ELEMENTARY:
    _elementary(_each)
for _each, _inputs in maths.SPECIAL.items():
    _special(_each, _inputs)
NATIVE |= {loop.row, state.reset, dice.unit, maths.ratio}
NATIVE |= {*maths.ELEMENTARY, *maths.SPECIAL}
