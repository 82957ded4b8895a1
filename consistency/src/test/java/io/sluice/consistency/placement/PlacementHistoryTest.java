package io.sluice.consistency.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** As servers join and leave, each slice has one owner, and only slices move that must. */
class PlacementHistoryTest {
    @Test
    void aServerThatLeavesGivesAllAwayAndOneThatJoinsTakesAFairShare() {
        Property.holds(300, random -> {
            List<TableSpec> tables = tables(random);
            int servers = random.nextInt(1, 9);
            Placement first = Placement.of(
                    List.of("uniform", "round-robin", "largest-first").get(random.nextInt(3)), tables, servers);
            PlacementHistory here = new PlacementHistory(tables, first, servers);
            PlacementHistory there = new PlacementHistory(List.copyOf(tables), first, servers);
            BitSet present = new BitSet();
            present.set(0, servers);
            int places = servers + random.nextInt(4);
            long round = 0;
            for (int change = 0; change < 12; change++) {
                int server = random.nextInt(places);
                boolean joins = !present.get(server);
                if (!joins && 1 == present.cardinality()) {
                    continue;
                }
                round += random.nextLong(1, 5);
                Placement before = here.last();
                here.change(round, server, joins);
                there.change(round, server, joins);
                assertSame(before, here.at(round - 1));
                requireMove(tables, before, here.at(round), server, joins, present);
                assertEquals(owners(tables, here.at(round)), owners(tables, there.at(round)), "all nodes agree");
                present.set(server, joins);
                requireOwners(tables, here.at(round), present);
            }
        });
    }

    private static void requireMove(
            List<TableSpec> tables, Placement before, Placement after, int server, boolean joins, BitSet present) {
        long[] loadBefore = before.load(tables);
        long[] load = after.load(tables);
        int longest =
                tables.stream().mapToInt(table -> table.sliceLength(0)).max().orElseThrow();
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                int from = before.owner(table.id(), slice);
                int to = after.owner(table.id(), slice);
                if (joins) {
                    assertTrue(to == from || to == server, "a slice moves to the server that joins, or not at all");
                } else {
                    assertEquals(
                            from != server, to == from, "the slices of the server that leaves move, and no others");
                }
            }
        }
        for (int other = present.nextSetBit(0); other >= 0; other = present.nextSetBit(other + 1)) {
            if (joins) {
                assertTrue(load[other] <= loadBefore[other] && load[server] <= load[mostLoaded(load, present)]);
                assertTrue(load[other] - load[server] <= 2L * longest, "balanced: " + Arrays.toString(load));
            } else if (other != server && load[other] > loadBefore[other]) {
                long least = Long.MAX_VALUE;
                for (int third = present.nextSetBit(0); third >= 0; third = present.nextSetBit(third + 1)) {
                    least = third == server ? least : Math.min(least, load[third]);
                }
                assertTrue(
                        load[other] - longest <= least,
                        "slices moved to the server with the lowest load: " + Arrays.toString(load));
            }
        }
    }

    private static int mostLoaded(long[] load, BitSet servers) {
        return servers.stream()
                .reduce((one, other) -> load[other] > load[one] ? other : one)
                .orElseThrow();
    }

    private static void requireOwners(List<TableSpec> tables, Placement placement, BitSet present) {
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                assertTrue(present.get(placement.owner(table.id(), slice)), "its owner is there");
            }
        }
    }

    private static List<Integer> owners(List<TableSpec> tables, Placement placement) {
        List<Integer> owners = new ArrayList<>();
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                owners.add(placement.owner(table.id(), slice));
            }
        }
        return owners;
    }

    @Test
    void equalSlicesEndEqualToWithinOneAndNoMoreMoveThanThat() {
        List<TableSpec> tables = List.of(new TableSpec(0, "w", 12, 64, 64));
        PlacementHistory history = new PlacementHistory(tables, Placement.of("uniform", tables, 3), 3);
        history.change(5, 2, false);
        assertEquals(List.of(6L * 64, 6L * 64, 0L), loads(tables, history.at(5)));
        history.change(9, 2, true);
        assertEquals(List.of(4L * 64, 4L * 64, 4L * 64), loads(tables, history.at(9)));
        assertEquals(List.of(4L * 64, 4L * 64, 4L * 64), loads(tables, history.at(4)));
    }

    private static List<Long> loads(List<TableSpec> tables, Placement placement) {
        return Arrays.stream(placement.load(tables)).boxed().toList();
    }

    @Test
    void aChangeThatDoesNotFitIsRefusedWithAReason() {
        List<TableSpec> tables = List.of(new TableSpec(0, "w", 12, 64, 64));
        PlacementHistory history = new PlacementHistory(tables, Placement.of("uniform", tables, 2), 2);
        assertThrows(IllegalArgumentException.class, () -> history.change(3, 1, true), "it is there");
        history.change(3, 1, false);
        assertThrows(IllegalArgumentException.class, () -> history.change(3, 1, true), "not behind the one before");
        IllegalArgumentException last =
                assertThrows(IllegalArgumentException.class, () -> history.change(4, 0, false), "the last one");
        assertTrue(last.getMessage().contains("server 0 leaves at round 4"), last.getMessage());
    }

    private static List<TableSpec> tables(SplittableRandom random) {
        List<TableSpec> tables = new ArrayList<>();
        int count = random.nextInt(1, 6);
        for (int id = 0; id < count; id++) {
            tables.add(
                    new TableSpec(id, "t" + id, random.nextInt(1, 50), random.nextInt(1, 50), random.nextInt(1, 200)));
        }
        return tables;
    }
}
