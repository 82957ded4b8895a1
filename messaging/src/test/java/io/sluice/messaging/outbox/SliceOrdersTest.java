package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.spi.SliceOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SliceOrdersTest {
    private static SliceOrder.Urgency urgency(int layer, int part, long round, double magnitude, double parameters) {
        return new SliceOrder.Urgency().slice(layer, part, round).change((float) magnitude, (float) parameters);
    }

    private static long rank(String order, SliceOrder.Urgency urgency) {
        return SliceOrders.named(order).rank(urgency);
    }

    @Test
    void layersDeclaredFirstAreMoreUrgent() {
        assertTrue(rank("layer", urgency(0, 9, 5, 0, 1)) < rank("layer", urgency(1, 0, 4, 9, 1)));
        assertEquals(rank("layer", urgency(3, 0, 1, 0, 0)), rank("layer", urgency(3, 5, 2, 1, 0)));
    }

    @Test
    void ranksFollowMagnitudesOfAnySize() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            float a = Float.intBitsToFloat(random.nextInt(0x7F80_0000));
            float b = Float.intBitsToFloat(random.nextInt(0x7F80_0000));
            assertEquals(
                    Float.compare(b, a),
                    Long.compare(rank("magnitude", urgency(0, 0, 0, a, 1)), rank("magnitude", urgency(0, 0, 0, b, 1))));
        }
    }

    @Test
    void relativeMagnitudeFallsBackToAbsoluteWhereThereAreNoParameters() {
        assertTrue(rank("relative", urgency(0, 0, 0, 1, 0.5)) < rank("relative", urgency(0, 0, 0, 10, 100)));
        assertEquals(rank("magnitude", urgency(0, 0, 0, 3, 0)), rank("relative", urgency(0, 0, 0, 3, 0)));
        assertTrue(
                rank("relative", urgency(0, 0, 0, 3e38, 1e-40)) >= 0, "a quotient beyond all floats is the greatest");
    }

    @Test
    void roundRobinWalksTheSameWayEveryRound() {
        assertTrue(rank("round-robin", urgency(5, 900, 1, 0, 0)) < rank("round-robin", urgency(0, 0, 2, 9, 0)));
        assertTrue(rank("round-robin", urgency(1, 900, 2, 0, 0)) < rank("round-robin", urgency(2, 0, 2, 9, 0)));
        assertTrue(rank("round-robin", urgency(1, 4, 2, 0, 0)) < rank("round-robin", urgency(1, 5, 2, 9, 0)));
    }

    @Test
    void theSameSeedGivesTheSameRandomOrder() {
        SliceOrder one = SliceOrders.named("random:7");
        SliceOrder same = SliceOrders.named("random:7");
        SliceOrder other = SliceOrders.named("random:8");
        int differing = 0;
        for (int i = 0; i < 1_000; i++) {
            long rank = one.rank(urgency(0, 0, 0, 0, 0));
            assertEquals(rank, same.rank(urgency(1, 2, 3, 4, 5)));
            differing += rank == other.rank(urgency(0, 0, 0, 0, 0)) ? 0 : 1;
        }
        assertTrue(differing > 990);
    }

    @Test
    void inACombinationTheFirstDecidesMost() {
        String order = "layer,magnitude";
        assertTrue(rank(order, urgency(0, 0, 0, 1, 0)) < rank(order, urgency(1, 0, 0, 1e30, 0)));
        assertTrue(rank(order, urgency(1, 0, 0, 2, 0)) < rank(order, urgency(1, 0, 0, 1, 0)));
        assertNotEquals(rank(order, urgency(1, 0, 0, 1, 0)), rank("magnitude", urgency(1, 0, 0, 1, 0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "layer", "magnitude", "relative", "round-robin", "random", "layer,relative"})
    void ranksFitTheirWidth(String name) {
        SliceOrder order = SliceOrders.named(name);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            long rank = order.rank(urgency(
                    random.nextInt() >>> 1,
                    random.nextInt() >>> 1,
                    random.nextLong() >>> 1,
                    Float.intBitsToFloat(random.nextInt(0x7F80_0000)),
                    random.nextFloat()));
            assertTrue(rank >= 0 && (order.bits() == 63 || rank < 1L << order.bits()), name + " ranks " + rank);
        }
        assertEquals(name, order.name());
    }

    @ParameterizedTest
    @CsvSource({
        "fifo, false, false",
        "layer, false, false",
        "magnitude, true, false",
        "'layer,magnitude', true, false",
        "'relative', true, true",
        "'layer,relative', true, true"
    })
    void onlyWhatLooksAtMagnitudesAsksForThem(String name, boolean weighs, boolean compares) {
        assertEquals(weighs, SliceOrders.named(name).weighs());
        assertEquals(compares, SliceOrders.named(name).compares());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "first | expected one of these, or several separated by commas: fifo; layer; magnitude",
                "layer, | expected one of these",
                "random:x | is not a whole number from 0 to 999999999",
                "layer:3 | expected layer: it has 1 argument",
                "round-robin,layer | take 79 bits in total, expected at most 63"
            })
    void whatCannotBeIsRefusedInWords(String name, String words) {
        String message = assertThrows(IllegalArgumentException.class, () -> SliceOrders.named(name))
                .getMessage();
        assertTrue(message.startsWith("order is '" + name + "'") && message.contains(words), message);
        assertFalse(message.contains("null"));
    }
}
