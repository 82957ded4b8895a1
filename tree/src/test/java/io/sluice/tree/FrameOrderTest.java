package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.tree.FrameOrder.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FrameOrderTest {
    private static final int ROOTS = 3;
    private static final int TABLES = 2;

    /** A frame, or a round commit, of a root. */
    private record Sent(int root, int table, long clock, int sequence, boolean closes) {
        Turn turn(FrameOrder order) {
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[Frame.DATA_LENGTH]);
            MessageHeaderEncoder header = new MessageHeaderEncoder();
            if (closes) {
                new RoundCommitEncoder()
                        .wrapAndApplyHeader(buffer, 0, header)
                        .table(table)
                        .clock(clock)
                        .frames(sequence);
                return order.turn(root, buffer, 0, RoundCommitDecoder.TEMPLATE_ID);
            }
            new DataEncoder()
                    .wrapAndApplyHeader(buffer, 0, header)
                    .table(table)
                    .clock(clock)
                    .sequence(sequence);
            return order.turn(root, buffer, 0, DataDecoder.TEMPLATE_ID);
        }
    }

    private static List<Sent> broadcasts(SplittableRandom random, int root, int count) {
        List<Sent> sent = new ArrayList<>();
        long[] clocks = new long[TABLES];
        int[] sequences = new int[TABLES];
        for (int i = 0; i < count; i++) {
            int table = random.nextInt(TABLES);
            boolean closes = random.nextInt(4) == 0;
            sent.add(new Sent(root, table, clocks[table], sequences[table], closes));
            clocks[table] += closes ? 1 : 0;
            sequences[table] = closes ? 0 : sequences[table] + 1;
        }
        return sent;
    }

    /**
     * Two paths carry the same frames; one has gaps, the other is at any position: each frame passes once, in order.
     */
    @Test
    void eachFramePassesOnceAndInOrderByAnyRoute() {
        for (long seed : Seeds.of(200)) {
            SplittableRandom random = new SplittableRandom(seed);
            int root = random.nextInt(ROOTS);
            List<Sent> sent = broadcasts(random, root, 60);
            List<Sent> holed = new ArrayList<>(sent);
            holed.removeIf(frame -> random.nextInt(3) == 0);
            FrameOrder order = new FrameOrder(ROOTS, TABLES, 0);
            List<Sent> passed = new ArrayList<>();
            int whole = 0;
            int partly = 0;
            while (whole < sent.size() || partly < holed.size()) {
                boolean takesHoled = whole == sent.size() || partly < holed.size() && random.nextBoolean();
                Sent frame = takesHoled ? holed.get(partly) : sent.get(whole);
                Turn turn = frame.turn(order);
                if (Turn.NEXT == turn) {
                    order.pass(root);
                    passed.add(frame);
                }
                assertEquals(Turn.PAST == turn || Turn.NEXT == turn, passed.contains(frame), "seed " + seed);
                partly += takesHoled && Turn.AHEAD != turn ? 1 : 0;
                whole += takesHoled ? 0 : 1;
            }
            for (int table = 0; table < TABLES; table++) { // between tables there is no order
                assertEquals(of(table, sent), of(table, passed), "seed " + seed);
            }
        }
    }

    private static List<Sent> of(int table, List<Sent> frames) {
        return frames.stream().filter(frame -> frame.table() == table).toList();
    }

    @Test
    void beginsAgainWithARootThatHasRejoined() {
        FrameOrder order = new FrameOrder(ROOTS, TABLES, 0);
        order.continueAt(1, TABLES - 1, 5, 3);
        order.continueAt(2, 0, 7, 1);
        order.restart(1, 4);
        assertEquals(Turn.NEXT, new Sent(1, TABLES - 1, 4, 0, false).turn(order));
        assertEquals(Turn.AHEAD, new Sent(1, 0, 5, 3, false).turn(order));
        assertEquals(Turn.NEXT, new Sent(2, 0, 7, 1, false).turn(order), "other roots continue as they were");
    }

    @Test
    void skipsFramesThatAreNotNeeded() {
        FrameOrder order = new FrameOrder(ROOTS, TABLES, 0);
        order.continueAt(1, 0, 5, 3);
        assertEquals(Turn.NEXT, new Sent(1, 0, 5, 3, true).turn(order));
        order.pass(1);
        order.continueAt(1, 0, 5, 2); // the order is past this frame already
        assertEquals(6, order.clock(1, 0));
        assertEquals(0, order.sequence(1, 0));
        order.continueAt(1, TABLES, 9, 9);
        assertEquals(Turn.UNKNOWN, new Sent(1, TABLES, 0, 0, false).turn(order));
        assertEquals(Turn.NEXT, new Sent(2, 0, 0, 0, false).turn(order), "other roots continue as they were");
    }
}
