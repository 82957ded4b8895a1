#!/usr/bin/env python3
"""Creates the golden vectors of the wire protocol: what both sides of every version must agree on, to the byte.

Run it without arguments, anywhere, with Python 3.9 or newer. It writes codecs/src/test/resources/golden/*.txt, which
the tests of several modules read, and the end of docs/protocol.md, behind its marker. It is written from that page and
shares no code with the library. After a change of the protocol: change the page, this program, and then the library.
"""

import hashlib
import hmac
import struct
import textwrap
from pathlib import Path

from blocks import FORMATS, KINDS, TYPES, bf16, f16, f16_bits, deltas, index_column, levels_column, packed, read_block
from blocks import read_levels, rounded, u16s, u32s, values_column
from seals import aes_gcm, hkdf

ROOT = Path(__file__).resolve().parents[4]
RESOURCES = ROOT / "codecs/src/test/resources/golden"
PAGE = ROOT / "docs/protocol.md"
MARKER = "<!-- Written by codecs/src/test/python/golden.py: do not edit from here on. -->\n"

VERSION = 8
CLUSTER, EPOCH, ORIGIN = 0x1122334455667788, 3, 2
ENCODED = [name for name in TYPES if name != "LEVELS"]  # those whose columns follow from the values alone
NONCE = 0x0102030405060708
RUN = 0x0A0B0C0D
COORDINATOR = 0x1112131415161718

# ---------------------------------------------------------------------------------------------------------- blocks

SPECIAL = [0x80000000, 0, 0x7F800000, 0xFF800000, 0x7FC00001, 1, 0x80000001, 0x7F7FFFFF, 0x007FFFFF, 0x00800000]


def hashed(k):
    return (k + 1) * 0x9E3779B1 & 0xFFFFFFFF


def curve_value(k):
    u = hashed(k)
    return u & 0x80000000 | (120 + (u >> 28 & 7)) << 23 | u & 0x7FFFFF


def any_value(name, k):
    """A value of any magnitude that the type can hold exactly; LOG8 rounds it."""
    u = hashed(k)
    if name in ("F32", "F32_PACKED"):
        return SPECIAL[k] if k < len(SPECIAL) else u
    if name in ("BF16", "BF16_PACKED"):
        return (SPECIAL[k] if k < len(SPECIAL) else u) & 0xFFFF0000
    if name == "F16":
        halves = [0x8000, 0, 1, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF]
        h = halves[k] if k < len(halves) else u >> 16
        return f16_bits(h if h & 0x7C00 != 0x7C00 else h ^ 0x4000)
    finite = [0x80000000, 0, 1, 0xFF7FFFFF]
    return finite[k] if k < len(finite) else min(u & 0x7FFFFFFF, 0x7F7FFFFF) | u & 0x80000000


def cases(format_name, values_name):
    """Name, elements, indices and values (not yet rounded) of the blocks of a combination."""
    dense = format_name == "DENSE"
    three = [1, 63, 69]
    yield "three", 3 if dense else 70, [0, 1, 2] if dense else three, [0x3F800000, 0xC0000000, 0x3F000000]
    curve = list(range(69)) if dense else [k + k * k // 5 for k in range(69)]
    yield "curve", 69 if dense else 1000, curve, [curve_value(k) for k in range(69)]
    yield "full", 64, list(range(64)), [any_value(values_name, k) for k in range(64)]
    if format_name in ("INDEX", "DELTA", "RUNS"):
        far = list(range(31)) + [65000, 65001, 65100, 65535]
        yield "far", 65536, far, [curve_value(k) for k in range(35)]
    if format_name == "RUNS":
        rows = [i for row in (3, 4, 9, 100, 255) for i in range(16 * row, 16 * row + 16)]
        yield "rows", 4096, rows, [curve_value(k) for k in range(80)]


def written_blocks():
    """What a sender writes, as (name, format, type, elements, indices, values, bytes)."""
    yield "EMPTY-F32", "EMPTY", "F32", 70, [], [], b""
    for values_name in ENCODED:
        for format_name in ("DENSE", "BITMAP", "INDEX", "DELTA", "RUNS"):
            for case, elements, indices, exact in cases(format_name, values_name):
                values = rounded(values_name, exact)
                block = index_column(format_name, elements, indices) + values_column(values_name, values)
                if len(block) <= longest(elements):
                    name = f"{format_name}-{values_name}-{case}"
                    yield name, format_name, values_name, elements, indices, values, block


def levels_cases():
    """Name, and what makes a column of LEVELS: kind, width, group, scales and numbers."""
    two = [0xBF000000, 0x3F400000, 0xBE800000, 0x3E800000, 0x3F800000, 0x40000000]
    yield "sign", "two-valued", 1, 32, two, [hashed(k) >> 31 for k in range(69)]
    yield "sign-all", "two-valued", 1, 0, two[:2], [hashed(k) >> 31 for k in range(70)]
    for width in range(2, 9):
        most = 2 ** (width - 1) - 1
        numbers = [hashed(k) % (2 * most + 1) - most for k in range(69)]
        yield f"signed-{width}", "signed", width, 64, [0x3FC00000, 0x3E123456], numbers
    yield "tern", "ternary", 2, 64, [0x3F800000 + k for k in range(6)], [hashed(k) % 3 - 1 for k in range(331)]
    yield "tern-few", "ternary", 2, 0, [0x40490FDB], [hashed(k) % 3 - 1 for k in range(37)]


def levels_blocks():
    """Blocks of LEVELS, as written_blocks has the others."""
    for case, *parts in levels_cases():
        column = levels_column(*parts)
        count = len(parts[-1])
        values, _ = read_levels(column, count)
        for format_name in ("DENSE", "BITMAP", "INDEX", "DELTA", "RUNS"):
            indices = list(range(count)) if format_name == "DENSE" else [k + k // 9 for k in range(count)]
            elements = indices[-1] + 1
            block = index_column(format_name, elements, indices) + column
            yield f"{format_name}-LEVELS-{case}", format_name, "LEVELS", elements, indices, values, block


def longest(elements):
    """No frame carries a longer block of so many elements."""
    return (elements + 63) // 64 * 8 + 4 * elements


def loose_blocks():
    """What no sender writes but a receiver must read all the same."""
    everywhere = list(range(40))
    far_apart = [3 * k for k in range(40)]
    wide = deltas([0] + [2] * 39, 7)
    two_runs = list(range(7, 17)) + list(range(88, 118))
    wide_runs = u16s([3, 0]) + deltas([7, 9, 70], 15)
    columns = {
        "F16": u16s([0x7C00, 0x7FFF, 0xFC00, 0xFFFF] + list(range(36))),
        "LOG8": u32s([0xFFFFFFF0, 0x80000001]) + bytes(k * 37 % 256 for k in range(40)),
    }
    least = [-2, -1, 0, 1] * 10
    columns["LEVELS"] = levels_column("signed", 2, 32, [0x7E800000, 0x80000000], least)
    for name in ("F32_PACKED", "BF16_PACKED"):
        offsets = [k % 8 for k in range(32)] + list(range(248, 256))
        columns[name] = packed(name, 250, 3, offsets, [hashed(k) for k in range(40)])
    for name, column in columns.items():
        for format_name, elements, indices, start in (
            ("DENSE", 40, everywhere, b""),
            ("DELTA", 118, far_apart, wide),
            ("RUNS", 118, two_runs, wide_runs),
        ):
            block = start + column
            _, values = read_block(format_name, name, block, elements, 40)
            yield f"{format_name}-{name}-loose", format_name, name, elements, indices, values, block


def roundings():
    """Type, bits of a binary32, and the 16 bits it is rounded to: around every kind of tie, and at every edge."""
    edges = [0, 1, 0x7FFF, 0x8000, 0x8001, 0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x3F800000, 0x7F7F0000, 0x7F7F7FFF]
    edges += [0x7F7F8000, 0x7F7FFFFF, 0x7F800000]
    ties = [0x3F808000, 0x3F818000, 0x3F807FFF, 0x3F808001, 0x3F818001, 0x00018000, 0x7F7E8000]
    halves = [0x32FFFFFF, 0x33000000, 0x33000001, 0x33800000, 0x33BFFFFF, 0x33C00000, 0x33C00001, 0x387FBFFF]
    halves += [0x387FC000, 0x387FDFFF, 0x387FE000, 0x387FFFFF, 0x38800000, 0x3F800FFF, 0x3F801000, 0x3F801001]
    halves += [0x3F802FFF, 0x3F803000, 0x3F803001, 0x477FDFFF, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000]
    for name, values in ("BF16", edges + ties), ("F16", edges + ties + halves):
        hashes = [curve_value(k) for k in range(40)] + [hashed(k) & 0x8FFFFFFF | 0x30000000 for k in range(40)]
        for value in values + [v | 0x80000000 for v in values] + hashes:
            yield name, value, bf16(value) if name == "BF16" else f16(value)


# ---------------------------------------------------------------------------------------------------------- frames


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def with_checksum(template, root, rest=b""):
    """A frame of a root behind the envelope, and what follows the root."""
    header = struct.pack("<4H", 18 + len(root), template, 5317, VERSION)
    before = header + struct.pack("<Q", CLUSTER)
    after = struct.pack("<iH", EPOCH, ORIGIN) + root + rest
    return before + struct.pack("<I", crc32c(before + after)) + after


def checksum(frame):
    return struct.unpack_from("<I", frame, 16)[0]


def data_frame(block, flags=0, tag=b""):
    _, format_name, values_name, elements, indices, _, content = block
    counts = struct.pack("<4i", elements, len(indices), len(content), len(content))
    codes = bytes([FORMATS[format_name], TYPES[values_name], 0, flags])
    return with_checksum(1, struct.pack("<HiQi", 7, 9, 11, 13) + counts + codes, content + tag)


def digest(frames):
    d = 0x9E3779B1
    for frame in frames:
        d = (d ^ checksum(frame)) * 0x9E3779B1 & 0xFFFFFFFF
        d = (d << 15 | d >> 17) & 0xFFFFFFFF
    return d


def text(string):
    data = string.encode("utf-8")
    return struct.pack("<H", len(data)) + data


def utf(string):
    """A text as events and states have it: big endian, as everything in them."""
    data = string.encode("utf-8")
    return struct.pack(">H", len(data)) + data


def member(nonce, endpoint, host, presence):
    start = struct.pack(">3q", RUN, 30, -1)
    return struct.pack(">q", nonce) + utf(endpoint) + utf(host) + utf(host) + struct.pack(">iBq", 0, presence, 0) + start + struct.pack(">q", 0)


def state():
    """Of a cluster of one server and one worker, with an empty place, behind its first event."""
    job = struct.pack(">Q", CLUSTER) + utf("terms") + utf("batch=32") + struct.pack(">i", 1) + utf("SHRINK")
    job += struct.pack(">3q", RUN, 30, -1)
    members = struct.pack(">i", 3) + member(COORDINATOR, "a:1", "h", 2) + member(0, "", "", 0) + member(NONCE, "b:2", "", 2)
    view_changes, worker_sets, proposal = struct.pack(">i", 0), struct.pack(">4i", 1, 1, 0, 0), b"\0"
    saved, failure, over, closed = struct.pack(">3q", -1, 30, -1), b"\0", struct.pack(">Bq", 0, 0), b"\0"
    return b"\3" + struct.pack(">qB", 1, 1) + job + members + view_changes + worker_sets + proposal + saved + failure + over + closed


def welcome():
    root = struct.pack("<HQ2H2BiiQ", 2, NONCE, 1, 1, 1, 1, 500, 2000, 200_000_000)
    root += struct.pack("<QiQi2B2H", 100_000_000, 262_144, 0, 0, 1, 1, 2, 1)
    texts = text("ssp:3") + text("*\tdvf:0.01\tnone\tadam:0.1\tbf16\t16384\n") + text("uniform") + text("snappy") + text("layer") + text("rotated:2") + text("t 0.0;a - -;e - -;h 125 125 h")
    return with_checksum(11, root, texts + struct.pack("<I", len(state())) + state())


WELCOME = (
    "node 2, the same nonce, 1 server, 1 worker, protocol 1, transport 1,\n"
    '500 ms, 2000 ms, 200 Mbit/s, 100 Mbit/s and 262,144 bytes a link, no bound for nodes, onDeath 1,\n'
    'sealed; 2 places for workers, 1 for servers; consistency "ssp:3", for all tables filter "dvf:0.01", broadcast filter "none", rule "adam:0.1", values bf16 and slices of 16384, placement "uniform", compressor "snappy", order "layer",\n'
    'tree "rotated:2", topology "t 0.0;a - -;e - -;h 125 125 h"; state behind event 1: terms "terms", declared "batch=32", run 0x0A0B0C0D from clock 30, none before;\n'
    'server 0 with join nonce 0x1112131415161718 at "a:1", "h", worker 0 empty, worker 1 with the same nonce as above at "b:2", ""'
)

# Event 19: what was proposed as event 18 holds from clock 13 on.
AGREED = struct.pack(">BBqq", 3, 8, 18, 13)


TERMS = b"batch=32\nclocks=9"
OLDER = struct.pack("<Hqq", 16 + len(TERMS), 5, -1) + TERMS  # clocks of snapshots beyond three, then terms


def control_frames(data):
    """Name, frame, and what the page says of it."""
    committed = [data[f"{name}-F32-three"] for name in ("DENSE", "BITMAP", "INDEX", "DELTA")]
    d = digest(committed)
    commit = struct.pack("<HiQIH", 7, 4, 11, d, 2)
    four = f"digest 0x{d:08X}: that of the first four frames above"
    yield "ROUND_COMMIT", with_checksum(2, commit), f"table 7, route 2, 4 frames, clock 11, {four}"
    declaration = struct.pack("<HiiiHIBI", 7, 784, 10, 4096, 2, 0xDEADBEE5, 1, 0x01020304)
    yield "DECLARATION", with_checksum(3, declaration, text("weights")), 'table 7 of 2, 784 x 10, slices of 4096, trees 0xDEADBEE5, consumed, first values 0x01020304, "weights"'
    yield "PULL", with_checksum(4, struct.pack("<HQ", 7, 11)), "table 7, clock 11"
    join = struct.pack("<BiQQ3q", 1, -1, NONCE, RUN, 30, 20, 10)
    yield (
        "JOIN",
        with_checksum(10, join, text("10.0.0.2:40100") + text("host-b") + OLDER),
        'role 1, index -1, nonce 0x0102030405060708, run 0x0A0B0C0D, snapshots 30, 20 and 10, "10.0.0.2:40100", "host-b", older 5, terms "batch=32" and "clocks=9"',
    )
    yield "WELCOME", welcome(), WELCOME
    yield "HEARTBEAT", with_checksum(12, struct.pack("<QBQBQQQQ", 11, 1, 19, 2, 18, 13, 7, 17)), "clock 11, pressed, applied 19, wish 2, proposal 18, answer 13, passed 7, beat 17"
    yield "LEAVE", with_checksum(13, struct.pack("<HQ", 2, 11)), "node 2, clock 11"
    error = struct.pack("<iQH", 6, NONCE, 2)
    yield "ERROR", with_checksum(14, error, text("r\u00f4le taken")), 'code 6, the same nonce, subject 2, "r\u00f4le taken"'
    event = struct.pack("<Q", 19)
    yield "EVENT", with_checksum(25, event, struct.pack("<H", len(AGREED)) + AGREED), "number 19: agreed on proposal 18, from clock 13 on"
    outcome = struct.pack("<3qB", 40, 0, 41, 1)
    yield "SNAPSHOT_OUTCOME", with_checksum(21, outcome, text("too late")), 'clock 40, cost 0, reached 41, late, "too late"'
    resend = struct.pack("<HQiBH", 7, 11, 13, 1, 2)
    yield "RESEND", with_checksum(16, resend), "table 7, clock 11, sequence 13, from a relay, route 2"


# ----------------------------------------------------------------------------------------------------------- seals

SECRET = bytes(range(1, 33))
SALT = b"sluice cluster secret 1"
CHALLENGE = bytes(range(64, 96))


def resummed(frame):
    return frame[:16] + struct.pack("<I", crc32c(frame[:16] + frame[20:])) + frame[20:]


EVERY_NODE, COORDINATOR_ID, ADDRESSEE = 65535, 65534, 65533
OTHER_NONCE = 0x2122232425262728


def with_seal(frame, lane, audience, counter):
    """The frame as a sender that joined with NONCE seals it."""
    template = struct.unpack_from("<H", frame, 2)[0]
    clear = 64 if template == 1 else len(frame)
    key = hkdf(SECRET, SALT, b"sluice frames" + struct.pack("<QiiQ", CLUSTER, EPOCH, ORIGIN, NONCE))
    nonce = struct.pack("<HHQ", lane, audience, counter)
    addressee = struct.pack("<Q", OTHER_NONCE) if audience == ADDRESSEE else b""
    encrypted, tag = aes_gcm(key, nonce, frame[:16] + frame[20:clear] + addressee, frame[clear:])
    return resummed(frame[:clear] + encrypted + struct.pack("<QHH", counter, lane, audience) + b"SEAL" + tag)


def with_proof(frame):
    """The frame, whose last 32 bytes are to be its proof."""
    key = hkdf(SECRET, SALT, b"sluice proofs")
    return resummed(frame[:-32] + hmac.new(key, frame[:16] + frame[20:-32], hashlib.sha256).digest())


def proof_frames():
    nothing = struct.pack("<H", 32) + bytes(32)
    challenge = with_checksum(17, struct.pack("<QQ", NONCE, COORDINATOR) + CHALLENGE, nothing)
    words = "the same nonce, coordinator 0x1112131415161718, challenge 40 41 ... 5f"
    yield "CHALLENGE", with_proof(challenge), words
    root = struct.pack("<BiQQQ3q", 1, -1, NONCE, COORDINATOR, RUN, 30, 20, 10) + CHALLENGE
    proof = with_checksum(18, root, text("10.0.0.2:40100") + text("host-b") + OLDER + nothing)
    yield "PROOF", with_proof(proof), words + ",\nand what is in the join"
    lead = with_checksum(24, struct.pack("<QQQH", NONCE, COORDINATOR, 9, 2), nothing)
    yield "LEAD", with_proof(lead), "the same nonce and coordinator, term 9, member 2"


def sealed_frames(data, control):
    wanted = "ROUND_COMMIT", "HEARTBEAT", "ERROR"
    commit, heartbeat, error = (next(frame for name, frame, _ in control if name == one) for one in wanted)
    yield "SEALED-DATA", with_seal(data["INDEX-F32-three"], 2, 1, 5), "INDEX with F32, the block of three: lane 2, to node 1, counter 5"
    yield "SEALED-ROUND_COMMIT", with_seal(commit, 2, EVERY_NODE, 6), "the round commit: lane 2, to every node, counter 6"
    yield "SEALED-HEARTBEAT", with_seal(heartbeat, 0, COORDINATOR_ID, 1), "the heartbeat: lane 0, to the coordinator, counter 1"
    yield "SEALED-ERROR", with_seal(error, 0, ADDRESSEE, 2), "the error: lane 0, to the node that joined with the nonce 0x2122232425262728, counter 2"


# ---------------------------------------------------------------------------------------------------------- output


def block_line(block):
    name, format_name, values_name, elements, indices, values, content = block
    columns = ",".join(map(str, indices)), ",".join(f"{v:08x}" for v in values), content.hex()
    return " ".join([name, format_name, values_name, str(elements), *(column or "-" for column in columns)])


def write(name, comment, lines):
    header = f"# {comment}\n# Written by codecs/src/test/python/golden.py, see there.\n"
    (RESOURCES / name).write_text(header + "".join(line + "\n" for line in lines), encoding="utf-8")


SHOWN = [
    ("DENSE-F32-three", "3 elements, values 1.0, -2.0, 0.5"),
    ("BITMAP-F32-three", "70 elements, the same values at 1, 63 and 69"),
    ("INDEX-F32-three", "the same block"),
    ("DELTA-F32-three", "the same block"),
    ("RUNS-F32-three", "the same block"),
    ("EMPTY-F32", "70 elements, no values"),
    ("INDEX-F32_PACKED-three", "the same block as with F32"),
    ("INDEX-BF16-three", "the same block"),
    ("INDEX-BF16_PACKED-three", "the same block"),
    ("INDEX-F16-three", "the same block"),
    ("INDEX-LOG8-three", "the same block, but 1.0 becomes 0x3F7FFFE0 and -2.0 becomes 0xBFFFFFC0"),
    ("DENSE-LEVELS-sign-all", "70 two-valued numbers, one group, lo -0.5 and hi 0.75"),
    ("DENSE-LEVELS-tern-few", "37 ternary numbers, one group of scale 0x40490FDB"),
    ("RUNS-LOG8-rows", "4,096 elements, rows 3, 4, 9, 100 and 255 of 16 each, 80 values made as those of the curve"),
    ("DELTA-BF16_PACKED-curve", "1,000 elements, the 69 values of the curve"),
]

PARTIAL_OF = "INDEX-F32-three"
PARTIAL_OF_WORDS = "INDEX with F32: the block of three"

CURVE = """
The blocks named *curve* have 69 values. Value k (from 0) is at element k + floor(k * k / 5) of 1,000, or at element k
of 69 in DENSE. With u = (k + 1) * 0x9E3779B1 mod 2^32 it is the binary32 with the sign of bit 31 of u, the biased
exponent 120 + (bits 28 to 30 of u) and the mantissa of bits 0 to 22 of u, rounded to the type. One of them in full is
above; these are the checksums of all those frames:
"""


def wrapped(text):
    return textwrap.fill(" ".join(text.split()), 119, break_on_hyphens=False)


def hex_dump(frame):
    rows = (frame[i : i + 16].hex(" ") for i in range(0, len(frame), 16))
    return "```\n" + "\n".join(rows) + "\n```\n"


SEALS = """
Behind here the cluster has the secret 01 02 ... 20 (32 bytes), the coordinator's nonce is 0x1112131415161718, and node
2 joined with the nonce of the join above.
"""


def page_section(data, partial, tagged, weighed, control, proofs, seals):
    parts = []
    for name, what in SHOWN:
        format_name, values_name = name.split("-")[:2]
        title = f"Data, {format_name} with {values_name}: {what} ({len(data[name])} bytes)"
        parts.append(f"\n{wrapped(title)}:\n\n{hex_dump(data[name])}")
    what = f"Data, {PARTIAL_OF_WORDS} once more, but partial: flags is 1 ({len(partial)} bytes)"
    parts.append(f"\n{what}:\n\n{hex_dump(partial)}")
    what = f"The same, tagged with 10: flags is 2 ({len(tagged)} bytes)"
    parts.append(f"\n{what}:\n\n{hex_dump(tagged)}")
    what = f"Data, EMPTY with F32: 70 elements, no values, tagged with 10 ({len(weighed)} bytes)"
    parts.append(f"\n{what}:\n\n{hex_dump(weighed)}")
    parts.append(CURVE + "\n| | DENSE | BITMAP | INDEX | DELTA | RUNS |\n|---|---|---|---|---|---|\n")
    for values_name in ENCODED:
        sums = (checksum(data[f"{name}-{values_name}-curve"]) for name in ("DENSE", "BITMAP", "INDEX", "DELTA", "RUNS"))
        parts.append(f"| {values_name} | " + " | ".join(f"0x{c:08X}" for c in sums) + " |\n")
    for name, frame, what in control:
        title = name.capitalize().replace("_", " ")
        parts.append(f"\n{wrapped(f'{title}: {what} ({len(frame)} bytes)')}:\n\n{hex_dump(frame)}")
    parts.append(SEALS)
    for name, frame, what in proofs + seals:
        title = name.capitalize().replace("-", ", ").replace("_", " ")
        parts.append(f"\n{wrapped(f'{title}: {what} ({len(frame)} bytes)')}:\n\n{hex_dump(frame)}")
    return "".join(parts)


def main():
    written, loose = list(written_blocks()) + list(levels_blocks()), list(loose_blocks())
    for _, format_name, values_name, elements, indices, values, content in written + loose:
        assert read_block(format_name, values_name, content, elements, len(indices)) == (indices, values)
    data = {block[0]: data_frame(block) for block in written + loose}
    control = list(control_frames(data))
    proofs, seals = list(proof_frames()), list(sealed_frames(data, control))
    whole = next(block for block in written if block[0] == PARTIAL_OF)
    partial = data_frame(whole, flags=1)
    tagged = data_frame(whole, flags=2, tag=struct.pack("<q", 10))
    empty = next(block for block in written if block[0] == "EMPTY-F32")
    weighed = data_frame(empty, flags=2, tag=struct.pack("<q", 10))

    RESOURCES.mkdir(parents=True, exist_ok=True)
    columns = "name, format, type, elements, indices, values (bits of binary32, as rounded), block; - for nothing"
    write("blocks.txt", columns, map(block_line, written))
    levels = (
        f"{case} {KINDS[kind]} {width} {group} {','.join(f'{s:08x}' for s in scales)} {','.join(map(str, codes))} "
        + levels_column(kind, width, group, scales, codes).hex()
        for case, kind, width, group, scales, codes in levels_cases()
    )
    write("levels.txt", "name, kind, width, group, scales (bits of binary32), numbers, column", levels)
    unwritten = "as blocks.txt: what a receiver must read though no sender writes it"
    write("loose-blocks.txt", unwritten, map(block_line, loose))
    lines = (f"{name} {bits:08x} {half:04x}" for name, bits, half in roundings())
    write("roundings.txt", "type, bits of a binary32, the 16 bits it is rounded to", lines)
    frames = [(name, frame) for name, frame, _ in control + proofs] + list(data.items()) + [("PARTIAL", partial), ("TAGGED", tagged)]
    frames.append(("EMPTY-TAGGED", weighed))
    write("frames.txt", "name, frame", (f"{name} {frame.hex()}" for name, frame in frames))
    write("seals.txt", "name, sealed frame", (f"{name} {frame.hex()}" for name, frame, _ in seals))

    page = PAGE.read_text(encoding="utf-8")
    kept, marker, _ = page.partition(MARKER)
    assert marker, f"no marker in {PAGE}"
    PAGE.write_text(kept + MARKER + page_section(data, partial, tagged, weighed, control, proofs, seals), encoding="utf-8")


if __name__ == "__main__":
    main()
