package io.sluice.benchmarks;

import io.sluice.codecs.FrameBuffer;
import java.util.Arrays;

/** The same bytes in two places: off the heap for native code, in an array for Java. */
final class Bytes {
    private final FrameBuffer memory;
    private final byte[] array;

    /** Makes room for a number of bytes, all zero. */
    Bytes(int length) {
        memory = new FrameBuffer(length);
        array = new byte[length];
    }

    /** Copies an array. */
    static Bytes of(byte[] array) {
        Bytes bytes = new Bytes(array.length);
        System.arraycopy(array, 0, bytes.array, 0, array.length);
        bytes.memory.buffer().putBytes(0, array);
        return bytes;
    }

    FrameBuffer memory() {
        return memory;
    }

    byte[] array() {
        return array;
    }

    int length() {
        return array.length;
    }

    /** The first bytes of the memory. */
    byte[] ofMemory(int length) {
        byte[] copy = new byte[length];
        memory.buffer().getBytes(0, copy);
        return copy;
    }

    /** The first bytes of the array. */
    byte[] ofArray(int length) {
        return Arrays.copyOf(array, length);
    }
}
