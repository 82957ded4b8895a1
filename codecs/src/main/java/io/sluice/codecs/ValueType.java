package io.sluice.codecs;

/** How the values of a block are encoded. */
public enum ValueType {
    /** IEEE 754 binary32, little endian, 4 bytes. */
    F32(1, Float.BYTES);

    private final int code;
    private final int bytes;

    ValueType(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** The code in a frame. */
    public int code() {
        return code;
    }

    /** Bytes of one value. */
    public int bytes() {
        return bytes;
    }

    /** The type with a code, or {@code null} if there is none. */
    public static ValueType fromCode(int code) {
        return code == F32.code ? F32 : null;
    }
}
