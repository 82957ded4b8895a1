package io.sluice.consistency.placement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {
    @ParameterizedTest
    @ValueSource(strings = {"uniform", "round-robin", "largest-first"})
    void everySliceHasExactlyOneOwner(String kind) {
        Property.holds(200, random -> {
            List<TableSpec> tables = tables(random);
            int servers = random.nextInt(1, 20);
            Placement placement = Placement.of(kind, tables, servers);
            for (TableSpec table : tables) {
                boolean[] owned = new boolean[table.slices()];
                for (int server = 0; server < servers; server++) {
                    int before = -1;
                    for (int slice : placement.slicesOf(table.id(), server)) {
                        assertEquals(server, placement.owner(table.id(), slice));
                        assertTrue(slice > before, "ascending");
                        assertFalse(owned[slice], "owned twice");
                        owned[slice] = true;
                        before = slice;
                    }
                }
                assertEquals(table.slices(), count(owned), "slices owned");
            }
            assertEquals(
                    tables.stream().mapToLong(TableSpec::elements).sum(),
                    Arrays.stream(placement.load(tables)).sum());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"uniform", "round-robin", "largest-first"})
    void everyNodeArrivesAtTheSamePlacement(String kind) {
        Property.holds(100, random -> {
            List<TableSpec> tables = tables(random);
            int servers = random.nextInt(1, 9);
            Placement here = Placement.of(kind, tables, servers);
            Placement there = Placement.of(kind, new ArrayList<>(tables), servers);
            for (TableSpec table : tables) {
                for (int server = 0; server < servers; server++) {
                    assertArrayEquals(
                            here.slicesOf(table.id(), server), there.slicesOf(table.id(), server), table.toString());
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"uniform", "round-robin", "largest-first"})
    void serversWithoutASliceAreNoError(String kind) {
        List<TableSpec> tables = List.of(new TableSpec(0, "b", 1, 1, 64), new TableSpec(1, "w", 3, 64, 64));
        long[] load = Placement.of(kind, tables, 50).load(tables);
        assertEquals(50, load.length);
        assertEquals(193, Arrays.stream(load).sum());
    }

    @Test
    void uniformGivesEachServerARunOfSlicesEqualToWithinOne() {
        Property.holds(300, random -> {
            TableSpec table = table(random, 0);
            int servers = random.nextInt(1, 20);
            Placement placement = Placement.of("uniform", List.of(table), servers);
            int least = table.slices() / servers;
            int next = 0;
            for (int server = 0; server < servers; server++) {
                int[] slices = placement.slicesOf(0, server);
                assertTrue(slices.length == least || slices.length == least + 1, "server " + server);
                for (int slice : slices) {
                    assertEquals(next++, slice, "runs follow one another");
                }
            }
        });
    }

    /** A model of many layers, each with weights and a short bias, none of which has a slice for each server. */
    @Test
    void uniformExceedsNoServerByMoreThanOneSliceOfEachSize() {
        Property.holds(300, random -> {
            List<TableSpec> tables = new ArrayList<>();
            int servers = random.nextInt(2, 9);
            for (int layer = random.nextInt(1, 30); layer > 0; layer--) {
                tables.add(new TableSpec(tables.size(), "w" + layer, 1, random.nextInt(1, 65), 64));
                tables.add(new TableSpec(tables.size(), "b" + layer, 1, random.nextInt(1, 5), 64));
            }
            long[] load = Placement.of("uniform", tables, servers).load(tables);
            assertTrue(max(load) - Arrays.stream(load).min().orElseThrow() <= 64, () -> Arrays.toString(load));
        });
    }

    @Test
    void roundRobinBalancesManySmallTablesToWithinOneSlice() {
        List<TableSpec> tables = new ArrayList<>();
        for (int id = 0; id < 100; id++) {
            tables.add(new TableSpec(id, "t" + id, 1, 10, 64));
        }
        long[] load = Placement.of("round-robin", tables, 7).load(tables);
        assertTrue(max(load) - Arrays.stream(load).min().orElseThrow() <= 10);
    }

    @Test
    void largestFirstStaysWithinFourThirdsOfTheBestPossible() {
        Property.holds(300, random -> {
            List<TableSpec> tables = new ArrayList<>();
            for (int id = random.nextInt(9); id >= 0; id--) {
                tables.addFirst(new TableSpec(id, "t" + id, 1, random.nextInt(1, 50), 64));
            }
            int servers = random.nextInt(1, 5);
            long most = max(Placement.of("largest-first", tables, servers).load(tables));
            long best = bestPossible(tables, 0, new long[servers]);
            assertTrue(3 * most <= 4 * best, most + " on one of " + servers + ", best possible " + best);
        });
    }

    /** A slice goes to the server with the lowest load, so no server exceeds another by more than its last slice. */
    @Test
    void largestFirstExceedsNoServerByMoreThanTheSmallestSlice() {
        Property.holds(300, random -> {
            List<TableSpec> tables = tables(random);
            int servers = random.nextInt(1, 9);
            Placement placement = Placement.of("largest-first", tables, servers);
            long[] load = placement.load(tables);
            long least = Arrays.stream(load).min().orElseThrow();
            for (int server = 0; server < servers; server++) {
                int owner = server;
                int smallest = tables.stream()
                        .flatMapToInt(table -> Arrays.stream(placement.slicesOf(table.id(), owner))
                                .map(table::sliceLength))
                        .min()
                        .orElse(0);
                assertTrue(load[server] - smallest <= least, "server " + server + " of " + Arrays.toString(load));
            }
        });
    }

    @Test
    void largestFirstFindsTheBestOfASmallCaseWhereUniformDoesNot() {
        List<TableSpec> tables = List.of(
                new TableSpec(0, "a", 1, 30, 64), new TableSpec(1, "b", 1, 30, 64), new TableSpec(2, "c", 1, 60, 64));
        assertArrayEquals(
                new long[] {60, 60}, Placement.of("largest-first", tables, 2).load(tables));
        assertArrayEquals(
                new long[] {90, 30}, Placement.of("uniform", tables, 2).load(tables));
    }

    /** The lowest possible maximum load: tries every server for each table from {@code next} on. */
    private static long bestPossible(List<TableSpec> tables, int next, long[] load) {
        if (next == tables.size()) {
            return max(load);
        }
        long best = Long.MAX_VALUE;
        for (int server = 0; server < load.length; server++) {
            load[server] += tables.get(next).elements();
            best = Math.min(best, bestPossible(tables, next + 1, load));
            load[server] -= tables.get(next).elements();
        }
        return best;
    }

    private static long max(long[] load) {
        return Arrays.stream(load).max().orElseThrow();
    }

    private static List<TableSpec> tables(SplittableRandom random) {
        List<TableSpec> tables = new ArrayList<>();
        int count = random.nextInt(1, 12);
        for (int id = 0; id < count; id++) {
            tables.add(table(random, id));
        }
        return tables;
    }

    private static TableSpec table(SplittableRandom random, int id) {
        return new TableSpec(id, "t" + id, random.nextInt(1, 50), random.nextInt(1, 50), random.nextInt(1, 200));
    }

    private static int count(boolean[] flags) {
        int count = 0;
        for (boolean flag : flags) {
            count += flag ? 1 : 0;
        }
        return count;
    }
}
