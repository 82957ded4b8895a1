package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which labs are accepted, and which links they get. */
final class LabPlanTest {
    private static final long MBIT = 1_000_000;

    @Test
    void refusesWhatCannotBe() {
        assertRefused("hosts is 0, expected 1 to 250", new LabPlan().hosts(0));
        assertRefused("hosts is 251, expected 1 to 250", new LabPlan().hosts(251));
        assertRefused("racks is 3, expected 0 to 2", new LabPlan().hosts(2).racks(3));
        assertRefused("mtu is 500, expected 576 to 65535", new LabPlan().mtu(500));
        assertRefused("rate is 1kbit, expected 64kbit to 100gbit", new LabPlan().rate(1_000));
        assertRefused("rack-rate is 0bit, expected 64kbit to 100gbit", new LabPlan().rackRate(0));
        assertRefused("queue is 0ms, expected 1ms to 10s", new LabPlan().queue(Duration.ZERO));
        assertRefused(
                "uplink: unknown link host2; the lab has 2, counted from 0",
                new LabPlan().hosts(2).uplink(LinkName.host(2), MBIT));
        assertRefused(
                "downlink: unknown link rack0; the lab has no racks", new LabPlan().downlink(LinkName.rack(0), MBIT));
        assertRefused("uplink of host1 is 1bit, expected 64kbit to 100gbit", new LabPlan().uplink(LinkName.host(1), 1));
    }

    private static void assertRefused(String message, LabPlan plan) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, plan::conclude).getMessage());
    }

    @Test
    void racksDifferByOneHostAtMostAndKeepTheOrder() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            int hosts = 1 + random.nextInt(LabPlan.MAX_HOSTS);
            int racks = 1 + random.nextInt(hosts);
            LabPlan plan = new LabPlan().hosts(hosts).racks(racks).conclude();
            Map<Integer, Integer> sizes = new HashMap<>();
            int last = 0;
            for (int host = 0; host < hosts; host++) {
                int rack = plan.rackOf(host);
                assertTrue(rack == last || rack == last + 1, "seed " + seed);
                last = rack;
                sizes.merge(rack, 1, Integer::sum);
            }
            assertEquals(racks, sizes.size(), "seed " + seed);
            int spare = hosts % racks == 0 ? 0 : 1;
            assertTrue(
                    sizes.values().stream().allMatch(size -> size == hosts / racks || size == hosts / racks + spare),
                    "seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {576, 1_500, 9_000, 65_535})
    void everyFrameFitsBucketAndQueue(int mtu) {
        for (long rate = TokenBucket.MIN_RATE; rate <= TokenBucket.MAX_RATE; rate *= 3) {
            TokenBucket bucket = TokenBucket.of(rate, mtu, Duration.ofMillis(1));
            assertTrue(bucket.burstBytes() >= mtu + 14, bucket::toString);
            assertTrue(bucket.limitBytes() >= 2L * (mtu + 14), bucket::toString);
        }
    }

    @Test
    void bucketGrowsWithTheRate() {
        TokenBucket bucket = TokenBucket.of(1_000 * MBIT, 1_500, Duration.ofMillis(50));
        assertEquals(new TokenBucket(1_000 * MBIT, 250_000, 6_250_000), bucket);
        assertEquals(
                "qdisc add dev eth0 root tbf rate 1000000000bit burst 250000 limit 6250000",
                bucket.line("add", "eth0"));
    }

    @Test
    void ownersAreKnownByTheirStart() {
        LabName mine = LabName.next();
        assertTrue(mine.isOwnerRunning());
        assertEquals(mine, LabName.ofNamespace(mine.host(3)).orElseThrow());
        assertEquals(mine, LabName.ofNamespace(mine.hub()).orElseThrow());
        assertTrue(mine.owns(mine.hub()));
        LabName earlier = new LabName(mine.pid(), mine.started() - 1, mine.number());
        assertTrue(!earlier.isOwnerRunning() && !earlier.owns(mine.hub()));
        LabName tenth = new LabName(mine.pid(), mine.started(), 10 * mine.number() + 10);
        assertTrue(!mine.owns(tenth.hub()));
        assertTrue(LabName.ofNamespace("sluice77hub").isEmpty());
        assertTrue(LabName.ofNamespace("sluicelab-1-x-0-hub").isEmpty());
    }
}
