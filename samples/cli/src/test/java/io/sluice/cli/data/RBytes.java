package io.sluice.cli.data;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes values as R does, for tests. */
final class RBytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    /** Begins a value of format version 3. */
    static RBytes version3() {
        return new RBytes().raw('X', '\n').ints(3, 0x040101, 0x030500, 5).text("UTF-8");
    }

    /** Begins a value of format version 2. */
    static RBytes version2() {
        return new RBytes().raw('X', '\n').ints(2, 0x040101, 0x020300);
    }

    RBytes raw(int... values) {
        for (int value : values) {
            bytes.write(value);
        }
        return this;
    }

    RBytes ints(int... values) {
        try {
            for (int value : values) {
                out.writeInt(value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    RBytes reals(double... values) {
        try {
            for (double value : values) {
                out.writeDouble(value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private RBytes text(String text) {
        bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** A text with its type and length. */
    RBytes characters(String text) {
        return ints(0x00040009, text.getBytes(StandardCharsets.UTF_8).length).text(text);
    }

    /** A vector of integers. */
    RBytes integers(int... values) {
        return ints(13, values.length).ints(values);
    }

    /** The begin of a list that has names as its attributes. */
    RBytes namedList(int size) {
        return ints(0x213, size);
    }

    /** The names of the list, once its elements are written. */
    RBytes names(String... names) {
        ints(0x402, 1).characters("names").ints(16, names.length);
        for (String name : names) {
            characters(name);
        }
        return ints(254);
    }

    /** Names as {@link #names}, by a reference to the symbol that was first written there. */
    RBytes namesAgain(String... names) {
        ints(0x402, 0x1FF, 16, names.length);
        for (String name : names) {
            characters(name);
        }
        return ints(254);
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
