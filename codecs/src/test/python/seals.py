"""HKDF-SHA256 (RFC 5869) and AES-256-GCM (NIST SP 800-38D), written out: golden.py must run anywhere. Slow, and for tests
alone: it takes no care of what its timing tells.
"""

import hashlib
import hmac


def hkdf(secret, salt, info):
    key = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()


def _double(a):
    return (a << 1 ^ 0x11B if a & 0x80 else a << 1) & 0xFF


def _sbox():
    box, p, q = [0] * 256, 1, 1
    while True:
        p ^= _double(p)
        for shift in 1, 2, 4:
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q
        for shift in range(1, 5):
            turned ^= (q << shift | q >> 8 - shift) & 0xFF
        box[p] = turned ^ 0x63
        if p == 1:
            box[0] = 0x63
            return box


SBOX = _sbox()


def _round_keys(key):
    words, rcon = [list(key[i : i + 4]) for i in range(0, 32, 4)], 1
    while len(words) < 60:
        word = list(words[-1])
        if len(words) % 8 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = _double(rcon)
        elif len(words) % 8 == 4:
            word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[-8], word)])
    return [sum(words[i : i + 4], []) for i in range(0, 60, 4)]


def _mix(column):
    a, b, c, d = column
    whole = a ^ b ^ c ^ d
    pairs = (a ^ b, b ^ c, c ^ d, d ^ a)
    return [byte ^ whole ^ _double(pair) for byte, pair in zip(column, pairs)]


def _encrypt(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number, key in enumerate(keys[1:], 1):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < 14:
            state = sum((_mix(state[i : i + 4]) for i in range(0, 16, 4)), [])
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def _times(x, y):
    product = 0
    for bit in range(127, -1, -1):
        product ^= y if x >> bit & 1 else 0
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def _padded(data):
    return data + bytes(-len(data) % 16)


def aes_gcm(key, nonce, clear, payload):
    """The encrypted payload and the tag."""
    keys = _round_keys(key)
    h = int.from_bytes(_encrypt(keys, bytes(16)), "big")
    counters = (nonce + (n + 2).to_bytes(4, "big") for n in range((len(payload) + 15) // 16))
    stream = b"".join(_encrypt(keys, counter) for counter in counters)
    encrypted = bytes(a ^ b for a, b in zip(payload, stream))
    lengths = (8 * len(clear)).to_bytes(8, "big") + (8 * len(payload)).to_bytes(8, "big")
    hashed, y = _padded(clear) + _padded(encrypted) + lengths, 0
    for i in range(0, len(hashed), 16):
        y = _times(y ^ int.from_bytes(hashed[i : i + 16], "big"), h)
    mask = _encrypt(keys, nonce + b"\x00\x00\x00\x01")
    return encrypted, bytes(a ^ b for a, b in zip(y.to_bytes(16, "big"), mask))
