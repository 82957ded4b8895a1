"""Blocks as docs/protocol.md describes them: indices, values, and the arithmetic of both.

Written from the documentation, for clarity and not for speed, and shares nothing with the Java code it checks. A value
is the 32 bits of a binary32 throughout.
"""

import struct
from bisect import bisect_right
from fractions import Fraction

GROUP = 32
MAX_F16 = 0x7BFF

FORMATS = {"DENSE": 1, "BITMAP": 2, "INDEX": 3, "DELTA": 4, "EMPTY": 5, "RUNS": 6}
TYPES = {"F32": 1, "F32_PACKED": 2, "BF16": 3, "BF16_PACKED": 4, "F16": 5, "LOG8": 6, "LEVELS": 7}
KINDS = {"two-valued": 1, "signed": 2, "ternary": 3}


def u16s(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def u32s(numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def padded(data, to=4):
    return data + bytes(-len(data) % to)


def planes(numbers, width):
    """A group of 32 numbers as `width` planes of one bit of each."""
    assert len(numbers) == GROUP
    return u32s([sum((n >> b & 1) << k for k, n in enumerate(numbers)) for b in range(width)])


def from_planes(data, width):
    words = struct.unpack(f"<{width}I", data)
    return [sum((word >> k & 1) << b for b, word in enumerate(words)) for k in range(GROUP)]


def groups(items):
    """The full groups of 32, and what is left."""
    full = len(items) // GROUP * GROUP
    return [items[i : i + GROUP] for i in range(0, full, GROUP)], items[full:]


# --------------------------------------------------------------------------------------------------------- indices


def index_column(name, elements, indices):
    if name in ("DENSE", "EMPTY"):
        assert len(indices) == (elements if name == "DENSE" else 0)
        return b""
    if name == "BITMAP":
        words = [0] * ((elements + 63) // 64)
        for i in indices:
            words[i // 64] |= 1 << i % 64
        return struct.pack(f"<{len(words)}Q", *words)
    if name == "INDEX":
        return padded(u16s(indices))
    if name == "RUNS":
        there = set(indices)
        boundaries = [i for i in range(elements) if (i in there) != (i - 1 in there)]
        return u16s([len(boundaries), 0]) + index_column("DELTA", elements, boundaries)
    numbers = [b - a - 1 for a, b in zip([-1] + indices, indices)]
    return deltas(numbers, delta_width(elements, len(indices)))


def delta_width(elements, count):
    """The least w with 2**w * count at least 493 / 1024 of the elements."""
    return next(w for w in range(16) if (count << w) * 1024 >= elements * 493)


def deltas(numbers, width):
    full, tail = groups(numbers)
    lower = b"".join(planes([n % 2**width for n in group], width) for group in full)
    tail_planes = [sum((n >> b & 1) << k for k, n in enumerate(tail)) for b in range(width)]
    lower += b"".join(plane.to_bytes((len(tail) + 7) // 8, "little") for plane in tail_planes)
    unary = "".join("0" * (n >> width) + "1" for n in numbers)
    words = (len(unary) + 63) // 64
    return bytes([width, 0]) + u16s([words]) + padded(lower) + int(unary[::-1], 2).to_bytes(8 * words, "little")


def read_indices(name, data, elements, count):
    """The indices, and how many bytes said so."""
    if name in ("DENSE", "EMPTY"):
        return list(range(count)), 0
    if name == "BITMAP":
        length = (elements + 63) // 64 * 8
        bits = int.from_bytes(data[:length], "little")
        return [i for i in range(length * 8) if bits >> i & 1], length
    if name == "INDEX":
        return list(struct.unpack_from(f"<{count}H", data)), (count * 2 + 3) // 4 * 4
    if name == "RUNS":
        boundaries, length = read_indices("DELTA", data[4:], elements, struct.unpack_from("<H", data)[0])
        ends = boundaries + [elements] * (len(boundaries) % 2)
        return [i for begin, end in zip(ends[::2], ends[1::2]) for i in range(begin, end)], 4 + length
    width, words, at = data[0], struct.unpack_from("<H", data, 2)[0], 4
    numbers = []
    for _ in range(count // GROUP):
        numbers += from_planes(data[at : at + 4 * width], width)
        at += 4 * width
    tail = count % GROUP
    size = (tail + 7) // 8
    rest = [int.from_bytes(data[at + b * size : at + (b + 1) * size], "little") for b in range(width)]
    numbers += [sum((plane >> k & 1) << b for b, plane in enumerate(rest)) for k in range(tail)]
    at += (width * size + 3) // 4 * 4
    bits = int.from_bytes(data[at : at + 8 * words], "little")
    ones = [i for i in range(64 * words) if bits >> i & 1]
    indices, last = [], -1
    for lower, one, before in zip(numbers, ones, [-1] + ones):
        last += 1 + lower + (one - before - 1 << width)
        indices.append(last)
    return indices, at + 8 * words


# ---------------------------------------------------------------------------------------------------------- values


def real(bits):
    """The exact number a finite binary32 stands for."""
    return Fraction(struct.unpack("<f", u32s([bits]))[0])


def bf16(bits):
    """To the nearest bfloat16, ties to even; of finite numbers, to the nearest finite one. Not for NaNs."""
    low, high = bits & 0xFFFF, bits >> 16
    up = low > 0x8000 or (low == 0x8000 and high & 1 == 1)
    return high + (up and high & 0x7FFF != 0x7F7F)


def f16_bits(h):
    """The binary32 of a binary16 whose exponent 31 is an exponent like any other."""
    magnitude = real((h & 0x7FFF) << 13) * 2**112
    bits = struct.unpack("<I", struct.pack("<f", float(magnitude)))[0]
    return bits | (h & 0x8000) << 16


HALVES = [real(f16_bits(h)) for h in range(MAX_F16 + 1)]


def f16(bits):
    """To the nearest finite binary16, ties to even."""
    magnitude = bits & 0x7FFFFFFF
    if magnitude >= 0x7F800000 or real(magnitude) >= HALVES[MAX_F16]:
        h = MAX_F16
    else:
        h = bisect_right(HALVES, real(magnitude)) - 1
        below, above = real(magnitude) - HALVES[h], HALVES[h + 1] - real(magnitude)
        h += above < below or (above == below and h & 1 == 1)
    return bits >> 16 & 0x8000 | h


def log8_scale(values):
    """Base and step."""
    magnitudes = [v & 0x7FFFFFFF for v in values if v & 0x7FFFFFFF]
    if not magnitudes:
        return 0, 1
    return min(magnitudes), max(1, (max(magnitudes) - min(magnitudes)) // 126)


def log8_bits(code, base, step):
    magnitude = (base + ((code & 0x7F) - 1) * step) & 0x7FFFFFFF if code & 0x7F else 0
    return (code & 0x80) << 24 | magnitude


def log8(bits, base, step):
    """The nearest code."""
    magnitude = bits & 0x7FFFFFFF
    if magnitude == 0:
        return bits >> 24 & 0x80
    code = min(range(1, 128), key=lambda k: abs(base + (k - 1) * step - magnitude))
    return bits >> 24 & 0x80 | code


def levels_column(kind, width, group, scales, numbers):
    """A column of LEVELS. Scales are bits of binary32, numbers are as the kind has them, of either sign if signed."""
    column = bytes([width, KINDS[kind]]) + u16s([group]) + u32s(scales)
    if kind == "ternary":
        return column + ternary([n % 3 for n in numbers])
    full, tail = groups([n % 2**width for n in numbers])
    column += b"".join(planes(part, width) for part in full)
    rest = [sum((n >> b & 1) << k for k, n in enumerate(tail)) for b in range(width)]
    return column + b"".join(plane.to_bytes((len(tail) + 7) // 8, "little") for plane in rest)


def ternary(digits):
    """Five digits in each byte: 32 apart in full units of 160, in order in the rest."""
    full = len(digits) // 160 * 160
    fives = [digits[u + j : u + 160 : 32] for u in range(0, full, 160) for j in range(32)]
    fives += [digits[i : i + 5] for i in range(full, len(digits), 5)]
    return bytes(sum(d * 3**k for k, d in enumerate(five)) for five in fives)


def read_levels(data, count):
    """The values of a column of LEVELS, and its length."""
    width, kind, group = data[0], data[1], struct.unpack_from("<H", data, 2)[0] or count
    each = 2 if kind == 1 else 1
    scales = struct.unpack_from(f"<{each * -(-count // group)}I", data, 4)
    at = 4 + 4 * len(scales)
    if kind == 3:
        bytes_ = data[at : at + -(-count // 5)]
        full = count // 160 * 160
        places = [(k // 160 * 32 + k % 32, k % 160 // 32) if k < full else (k // 5, k % 5) for k in range(count)]
        numbers = [bytes_[byte] // 3**digit % 3 for byte, digit in places]
        values = [(0, s, s | 0x80000000)[n] for n, s in ((n, scales[k // group]) for k, n in enumerate(numbers))]
        return values, at + len(bytes_)
    numbers = []
    for _ in range(count // GROUP):
        numbers += from_planes(data[at : at + 4 * width], width)
        at += 4 * width
    tail = count % GROUP
    size = (tail + 7) // 8
    rest = [int.from_bytes(data[at + b * size : at + (b + 1) * size], "little") for b in range(width)]
    numbers += [sum((plane >> k & 1) << b for b, plane in enumerate(rest)) for k in range(tail)]
    at += width * size
    if kind == 1:
        return [scales[k // group * 2 + n] for k, n in enumerate(numbers)], at
    signed = [n - (n >> width - 1 << width) for n in numbers]
    return [signed_bits(n, width, scales[k // group]) for k, n in enumerate(signed)], at


def signed_bits(number, width, scale):
    """The number times the f32 nearest to scale / (2^(width - 1) - 1), as an f32. Doubles round no f32 twice here."""
    exact = struct.unpack("<f", u32s([scale]))[0] / (2 ** (width - 1) - 1)
    unit = struct.unpack("<f", struct.pack("<f", exact))[0]
    return struct.unpack("<I", struct.pack("<f", unit * number))[0]


def rounded(name, values):
    """The values that a block of the type stands for."""
    if name in ("BF16", "BF16_PACKED"):
        return [bf16(v) << 16 for v in values]
    if name == "F16":
        return [f16_bits(f16(v)) for v in values]
    if name == "LOG8":
        base, step = log8_scale(values)
        return [log8_bits(log8(v, base, step), base, step) for v in values]
    return values


def values_column(name, values):
    if not values:
        return b""
    if name == "F32":
        return u32s(values)
    if name == "BF16":
        return u16s([bf16(v) for v in values])
    if name == "F16":
        return u16s([f16(v) for v in values])
    if name == "LOG8":
        base, step = log8_scale(values)
        return u32s([base, step]) + bytes(log8(v, base, step) for v in values)
    exponents = [v >> 23 & 0xFF for v in values]
    least = min(exponents)
    return packed(name, least, (max(exponents) - least).bit_length(), [x - least for x in exponents], values)


def packed(name, least, width, offsets, values):
    full, tail = groups(offsets)
    column = bytes([least, width, 0, 0]) + b"".join(planes(group, width) for group in full)
    if name == "F32_PACKED":
        column += u16s([v & 0xFFFF for v in values])
    return column + bytes(v >> 24 & 0x80 | v >> 16 & 0x7F for v in values) + bytes(tail)


def read_values(name, data, count):
    if count == 0:
        return [], 0
    if name == "F32":
        return list(struct.unpack_from(f"<{count}I", data)), 4 * count
    if name in ("BF16", "F16"):
        halves = struct.unpack_from(f"<{count}H", data)
        return [f16_bits(h) if name == "F16" else h << 16 for h in halves], 2 * count
    if name == "LOG8":
        base, step = struct.unpack_from("<2I", data)
        return [log8_bits(code, base, step) for code in data[8 : 8 + count]], 8 + count
    if name == "LEVELS":
        return read_levels(data, count)
    least, width, at = data[0], data[1], 4
    offsets = []
    for _ in range(count // GROUP):
        offsets += from_planes(data[at : at + 4 * width], width)
        at += 4 * width
    low = [0] * count
    if name == "F32_PACKED":
        low = struct.unpack_from(f"<{count}H", data, at)
        at += 2 * count
    high = data[at : at + count]
    at += count
    offsets += data[at : at + count % GROUP]
    values = [
        (h & 0x80) << 24 | ((least + x) & 0xFF) << 23 | (h & 0x7F) << 16 | l for x, h, l in zip(offsets, high, low)
    ]
    return values, at + count % GROUP


def read_block(format_name, values_name, data, elements, count):
    """The indices and values of a block."""
    indices, length = read_indices(format_name, data, elements, count)
    values, rest = read_values(values_name, data[length:], count)
    assert length + rest == len(data), "the columns are not as long as the block"
    return indices, values
