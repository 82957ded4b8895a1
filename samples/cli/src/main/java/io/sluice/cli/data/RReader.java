package io.sluice.cli.data;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads values that R's {@code serialize} has written in its binary (XDR) format, versions 2 and 3, if tables of
 * numbers and texts need them: NULL, symbols, pair lists, lists, and vectors of logical values, integers, numbers and
 * texts. It refuses everything else, and checks every length.
 */
final class RReader {
    private static final int MAGIC = 'X' << 8 | '\n';
    private static final int VERSION_3 = 3;

    /** Maximum nesting of values, in levels; data frames need fewer than ten. */
    private static final int DEEPEST = 100;

    private static final int SYMBOL = 1;
    private static final int PAIR_LIST = 2;
    private static final int CHARACTERS = 9;
    private static final int LOGICAL = 10;
    private static final int INTEGER = 13;
    private static final int REAL = 14;
    private static final int TEXT = 16;
    private static final int LIST = 19;
    private static final int NULL = 254;
    private static final int REFERENCE = 255;

    private static final int TYPE_MASK = 0xFF;
    private static final int HAS_ATTRIBUTES = 1 << 9;
    private static final int HAS_TAG = 1 << 10;
    private static final int REFERENCE_SHIFT = 8;

    private final ByteBuffer in;
    private final List<String> symbols = new ArrayList<>();

    private RReader(byte[] bytes) {
        in = ByteBuffer.wrap(bytes); // big endian, as XDR is
    }

    /**
     * Reads one value.
     *
     * @param bytes bytes of the value and no others
     * @return the value
     * @throws IllegalArgumentException if the bytes are not such a value
     */
    static RValue read(byte[] bytes) {
        RReader reader = new RReader(bytes);
        try {
            reader.header();
            RValue value = reader.value(reader.in.getInt(), 0);
            if (reader.in.hasRemaining()) {
                throw new IllegalArgumentException(reader.in.remaining() + " bytes follow the R value");
            }
            return value;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the R value ends too early, after " + bytes.length + " bytes", e);
        }
    }

    private void header() {
        int magic = in.getShort();
        if (magic != MAGIC) {
            throw new IllegalArgumentException("begins with %04x, expected R's binary format".formatted(magic));
        }
        int version = in.getInt();
        if (version != VERSION_3 && version != VERSION_3 - 1) {
            throw new IllegalArgumentException("R's format has version " + version + ", expected 2 or 3");
        }
        in.getInt(); // R version that wrote this
        in.getInt(); // oldest R version that reads this
        if (version == VERSION_3) {
            bytes(in.getInt()); // skips the name of the native encoding: texts are UTF-8 or ASCII
        }
    }

    private RValue value(int flags, int depth) {
        requireShallow(depth);
        int type = flags & TYPE_MASK;
        return switch (type) {
            case NULL -> RValue.NULL;
            case SYMBOL, REFERENCE -> new RValue(new String[] {symbol(flags)}, Map.of());
            case PAIR_LIST -> pairList(flags, depth);
            default -> {
                Object content = content(type, depth);
                yield new RValue(content, (flags & HAS_ATTRIBUTES) == 0 ? Map.of() : attributes(depth));
            }
        };
    }

    private Object content(int type, int depth) {
        return switch (type) {
            case LOGICAL, INTEGER -> integers();
            case REAL -> reals();
            case TEXT -> texts();
            case LIST -> list(depth);
            default -> throw new IllegalArgumentException("an R value has type " + type + ", which is not supported");
        };
    }

    private int[] integers() {
        int[] values = new int[count(Integer.BYTES)];
        in.asIntBuffer().get(values);
        in.position(in.position() + values.length * Integer.BYTES);
        return values;
    }

    private double[] reals() {
        double[] values = new double[count(Double.BYTES)];
        in.asDoubleBuffer().get(values);
        in.position(in.position() + values.length * Double.BYTES);
        return values;
    }

    private String[] texts() {
        String[] values = new String[count(Integer.BYTES)];
        for (int i = 0; i < values.length; i++) {
            values[i] = characters(in.getInt());
        }
        return values;
    }

    private List<RValue> list(int depth) {
        int size = count(Integer.BYTES);
        List<RValue> values = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            values.add(value(in.getInt(), depth + 1));
        }
        return values;
    }

    /** The length of a vector, of which each element takes that many bytes at least. */
    private int count(int elementBytes) {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / elementBytes) {
            throw new IllegalArgumentException(
                    "an R vector has the length " + count + ", with " + in.remaining() + " bytes left");
        }
        return count;
    }

    /** A text; null for R's NA. */
    private String characters(int flags) {
        if ((flags & TYPE_MASK) != CHARACTERS) {
            throw new IllegalArgumentException("an R string has type " + (flags & TYPE_MASK));
        }
        int length = in.getInt();
        return length == -1 ? null : new String(bytes(length), StandardCharsets.UTF_8);
    }

    private byte[] bytes(int length) {
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException(
                    "an R string has the length " + length + ", with " + in.remaining() + " bytes left");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private String symbol(int flags) {
        if ((flags & TYPE_MASK) == SYMBOL) {
            symbols.add(characters(in.getInt()));
            return symbols.getLast();
        }
        if ((flags & TYPE_MASK) != REFERENCE) {
            throw new IllegalArgumentException(
                    "an R symbol has type " + (flags & TYPE_MASK) + ", expected " + SYMBOL + " or " + REFERENCE);
        }
        int packed = flags >>> REFERENCE_SHIFT;
        int number = packed == 0 ? in.getInt() : packed;
        if (number < 1 || number > symbols.size()) {
            throw new IllegalArgumentException(
                    "an R value refers to symbol " + number + ", but only " + symbols.size() + " are defined");
        }
        return symbols.get(number - 1);
    }

    private RValue pairList(int flags, int depth) {
        List<RValue> values = new ArrayList<>();
        List<String> names = new ArrayList<>();
        readPairs(flags, depth, names, values);
        return new RValue(values, Map.of("names", new RValue(names.toArray(String[]::new), Map.of())));
    }

    private Map<String, RValue> attributes(int depth) {
        List<RValue> values = new ArrayList<>();
        List<String> names = new ArrayList<>();
        readPairs(in.getInt(), depth, names, values);
        Map<String, RValue> attributes = new HashMap<>();
        for (int i = 0; i < values.size(); i++) {
            attributes.put(names.get(i), values.get(i));
        }
        return attributes;
    }

    private static void requireShallow(int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("R values are nested more than " + DEEPEST + " deep");
        }
    }

    private void readPairs(int first, int depth, List<String> names, List<RValue> values) {
        requireShallow(depth);
        int flags = first;
        while ((flags & TYPE_MASK) == PAIR_LIST) {
            if ((flags & HAS_ATTRIBUTES) != 0) {
                attributes(depth + 1);
            }
            names.add((flags & HAS_TAG) == 0 ? "" : symbol(in.getInt()));
            values.add(value(in.getInt(), depth + 1));
            flags = in.getInt();
        }
        if ((flags & TYPE_MASK) != NULL) {
            throw new IllegalArgumentException(
                    "an R list ends with type " + (flags & TYPE_MASK) + ", expected " + NULL);
        }
    }
}
