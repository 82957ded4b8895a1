package io.sluice.cli.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RReaderTest {
    private static byte[] table() {
        return RBytes.version3()
                .namedList(3)
                .integers(7, -1)
                .ints(14, 2)
                .reals(2.5, Double.NaN)
                .ints(16, 2)
                .characters("Amélie")
                .ints(9, -1)
                .names("id", "rating", "title")
                .bytes();
    }

    private static String refusal(RBytes bytes) {
        return assertThrows(IllegalArgumentException.class, () -> RReader.read(bytes.bytes()))
                .getMessage();
    }

    @Test
    void readsATable() {
        RValue table = RReader.read(table());
        assertArrayEquals(new int[] {7, -1}, table.get("id", int[].class));
        assertArrayEquals(new double[] {2.5, Double.NaN}, table.get("rating", double[].class));
        assertArrayEquals(new String[] {"Amélie", null}, table.get("title", String[].class));
    }

    @Test
    void readsVersion2() {
        assertArrayEquals(new int[] {5}, (int[])
                RReader.read(RBytes.version2().integers(5).bytes()).content());
    }

    @Test
    void followsReferencesToNames() {
        RBytes bytes = RBytes.version3()
                .namedList(1)
                .namedList(1)
                .integers(3)
                .names("inner")
                .namesAgain("outer");
        RValue outer = RReader.read(bytes.bytes());
        assertArrayEquals(new int[] {3}, outer.get("outer").get("inner", int[].class));
    }

    @Test
    void readsPairListsAndNull() {
        RBytes bytes =
                RBytes.version3().ints(0x402, 1).characters("a").integers(1).ints(2, 254, 254);
        RValue pairs = RReader.read(bytes.bytes());
        assertArrayEquals(new int[] {1}, pairs.get("a", int[].class));
        assertEquals(RValue.NULL, ((List<?>) pairs.content()).get(1));
    }

    @Test
    void namesAMissingElement() {
        RValue table = RReader.read(table());
        assertEquals(
                "there is no element year",
                assertThrows(IllegalArgumentException.class, () -> table.get("year"))
                        .getMessage());
        assertEquals(
                "the element id is not of the type double[]",
                assertThrows(IllegalArgumentException.class, () -> table.get("id", double[].class))
                        .getMessage());
    }

    @Test
    void refusesEveryTruncation() {
        byte[] whole = table();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(IllegalArgumentException.class, () -> RReader.read(cut), () -> cut.length + " bytes");
        }
    }

    @Test
    void refusesTrailingBytes() {
        assertEquals(
                "1 bytes follow the R value",
                refusal(RBytes.version2().integers(5).raw(0)));
    }

    @Test
    void refusesOtherFormats() {
        assertTrue(refusal(new RBytes().raw('A', '\n').ints(2, 0, 0)).startsWith("begins with 410a"));
        assertEquals(
                "R's format has version 4, expected 2 or 3",
                refusal(new RBytes().raw('X', '\n').ints(4, 0, 0)));
        assertEquals(
                "an R value has type 238, which is not supported",
                refusal(RBytes.version2().ints(238)));
    }

    @Test
    void refusesImpossibleLengths() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, 2, Integer.MAX_VALUE}) {
            for (int type : new int[] {10, 13, 14, 16, 19}) {
                String said = refusal(RBytes.version2().ints(type, length, 0));
                assertTrue(said.startsWith("an R vector has the length " + length), said);
            }
        }
        assertEquals(
                "an R string has the length -2, with 0 bytes left",
                refusal(RBytes.version2().ints(16, 1, 9, -2)));
    }

    @Test
    void refusesReferencesToNothing() {
        assertEquals(
                "an R value refers to symbol 1, but only 0 are defined",
                refusal(RBytes.version2().ints(0x1FF)));
        assertEquals(
                "an R value refers to symbol -5, but only 0 are defined",
                refusal(RBytes.version2().ints(0xFF, -5)));
    }

    @Test
    void refusesNestingThatWouldExhaustTheStack() {
        RBytes deep = RBytes.version2();
        for (int i = 0; i < 100_000; i++) {
            deep.ints(19, 1);
        }
        assertEquals("R values are nested more than 100 deep", refusal(deep.ints(254)));
        RBytes attributes = RBytes.version2();
        for (int i = 0; i < 100_000; i++) {
            attributes.ints(0x202);
        }
        assertEquals("R values are nested more than 100 deep", refusal(attributes));
    }

    @Test
    void refusesOrReadsAnyDamage() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] whole = table();
        for (int run = 0; run < 20_000; run++) {
            byte[] changed = whole.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            try {
                RReader.read(changed);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage() != null, () -> "seed " + seed);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + Arrays.toString(changed), e);
            }
        }
    }
}
