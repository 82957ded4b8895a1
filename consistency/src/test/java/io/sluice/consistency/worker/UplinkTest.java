package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links of a relay are fed with positions, for the judgement of its uplink. */
@Timeout(60)
class UplinkTest {
    private static final double FULL = 2_000_000;
    private static final int SAMPLES = (int) (Uplink.INTERVAL_NS / DeliveryRate.MIN_SAMPLE_NS);

    private final List<Double> judged = new ArrayList<>();
    private double best;
    private final Uplink uplink = new Uplink((rate, highest) -> {
        judged.add(rate);
        best = highest;
        return rate <= 0.5 * highest;
    });
    private final DeliveryRate[] rates = {new DeliveryRate(), new DeliveryRate()};
    private final long[] positions = new long[2];
    private long nowNs;

    /** Lets an interval pass, in which links carry frames at rates; a link with nothing to send is not limited. */
    private boolean interval(double first, boolean firstIsDue, double second, boolean secondIsDue) {
        for (int sample = 0; sample < SAMPLES; sample++) {
            carry(0, first, firstIsDue);
            carry(1, second, secondIsDue);
            nowNs += DeliveryRate.MIN_SAMPLE_NS;
        }
        carry(0, first, firstIsDue);
        carry(1, second, secondIsDue);
        return uplink.isTime(nowNs) && uplink.isSlow(nowNs, Arrays.asList(rates));
    }

    private void carry(int link, double rate, boolean isDue) {
        positions[link] = (long) (rate * nowNs / 1e9);
        rates[link].onPositions(nowNs, positions[link], positions[link], !isDue);
    }

    @Test
    void anIntervalIsOneLook() {
        assertTrue(uplink.isTime(5));
        assertFalse(uplink.isTime(5 + Uplink.INTERVAL_NS - 1));
        assertTrue(uplink.isTime(5 + Uplink.INTERVAL_NS));
    }

    @Test
    void linksTogetherCount() {
        assertFalse(interval(FULL / 2, true, FULL / 2, true));
        assertEquals(FULL, judged.getFirst(), 0.02 * FULL);
        assertEquals(FULL / 2, best, 0.02 * FULL);
    }

    /** A relay without links over the network has nothing to give up. */
    @Test
    void noLinksAreNotJudged() {
        assertFalse(uplink.isSlow(0, List.of()));
        assertEquals(List.of(), judged);
    }

    /** The first child is slow: the second has all frames after a moment. */
    @Test
    void aSlowChildIsNotJudged() {
        for (int i = 0; i < 3 * Uplink.TIMES; i++) {
            assertFalse(interval(FULL / 20, true, FULL / 20, false));
        }
        assertEquals(List.of(), judged);
    }

    private static List<BroadcastTree> chainTo(int worker) {
        return List.of(new BroadcastTree(0, 1, List.of(new Hop(0, List.of(worker), false, "h:1"))));
    }

    /** States that change no tree, such as those of snapshots, leave the count as it is. */
    @Test
    void aSlowUplinkIsFoundAfterSomeIntervals() {
        Uplink slow = new Uplink((rate, highest) -> rate < FULL);
        List<DeliveryRate> links = List.of(rates[0]);
        int times = 0;
        boolean found = false;
        for (; !found && times <= Uplink.TIMES; times++) {
            slow.follow(chainTo(1));
            interval(FULL / 4, true, 0, false);
            found = slow.isSlow(nowNs, links);
        }
        assertTrue(found);
        assertEquals(Uplink.TIMES, times);
        slow.follow(chainTo(1));
        assertTrue(slow.isSlow(nowNs, links), "it remains so");
        slow.follow(chainTo(2));
        assertFalse(slow.isSlow(nowNs, links), "the trees have changed");
    }
}
