package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each readable snapshot has the saved state, whatever changed in between, and unreadable ones are named. */
class SnapshotChainTest {
    private static final int PAGE = SectionPages.PAGE;

    @TempDir
    private Path temporary;

    private int folders;

    /**
     * Sections of a node that change between clocks: large ones in a few places, and a small one whose length changes
     * too.
     */
    private static final class State {
        private final SplittableRandom random;
        private final List<byte[]> tables = new ArrayList<>();
        private final int busy;
        private byte[] trainer = new byte[0];

        private State(SplittableRandom random) {
            this.random = random;
            this.busy = 1 + random.nextInt(30);
            int count = random.nextInt(3);
            for (int i = 0; i < count; i++) {
                byte[] table = new byte[random.nextInt(40 * PAGE)];
                if (random.nextBoolean()) {
                    random.nextBytes(table); // the others begin with zeros
                }
                tables.add(table);
            }
        }

        private void change() {
            for (byte[] table : tables) {
                int changes = random.nextInt(4) == 0 ? 0 : random.nextInt(busy);
                for (int i = 0; i < changes && table.length > 0; i++) {
                    int at = random.nextInt(table.length);
                    int length = Math.min(1 + random.nextInt(3 * PAGE), table.length - at);
                    byte value = (byte) random.nextInt(3);
                    if (random.nextBoolean()) {
                        Arrays.fill(table, at, at + length, value);
                    } else {
                        table[at] += 1;
                    }
                }
            }
            if (random.nextInt(3) == 0) {
                trainer = new byte[random.nextInt(100)];
                random.nextBytes(trainer);
            }
        }

        private Map<String, byte[]> copy() {
            Map<String, byte[]> copy = new TreeMap<>();
            for (int i = 0; i < tables.size(); i++) {
                copy.put("table " + i, tables.get(i).clone());
            }
            copy.put("trainer", trainer.clone());
            return copy;
        }
    }

    private static Snapshot snapshot(long clock, Map<String, byte[]> state) {
        List<Snapshot.Section> sections = new ArrayList<>();
        state.forEach((name, bytes) -> sections.add(new Snapshot.Section(name, MemorySegment.ofArray(bytes))));
        return new Snapshot(7, "worker 1", clock, "the terms", "the tables", sections);
    }

    private static void requireSame(Map<String, byte[]> state, StoredSnapshot stored) {
        state.forEach(
                (name, bytes) -> assertArrayEquals(bytes, stored.bytes(name), name + " at clock " + stored.clock()));
    }

    /** Clocks of a node and its state at each. */
    private record History(SnapshotFolder folder, Path path, TreeMap<Long, Map<String, byte[]>> states) {
        private List<Long> held(List<String> damaged) {
            return folder.held(damaged::add).stream()
                    .map(SnapshotFolder.Held::clock)
                    .toList();
        }

        private Path file(long clock) {
            return path.resolve("%012d.snapshot".formatted(clock));
        }

        /** The clocks that cannot be read without a given file. */
        private TreeSet<Long> onTopOf(long clock) throws IOException {
            TreeSet<Long> lost = new TreeSet<>(List.of(clock));
            for (long later : states.tailMap(clock, false).keySet()) {
                if (lost.contains(SnapshotFile.parentOf(file(later)))) {
                    lost.add(later);
                }
            }
            return lost;
        }

        private long length() throws IOException {
            long length = 0;
            for (long clock : states.keySet()) {
                length += Files.size(file(clock));
            }
            return length;
        }
    }

    private History history(SplittableRandom random, int snapshots) {
        Path path = temporary.resolve("node-" + folders++);
        SnapshotFolder folder = SnapshotFolder.open(path);
        SnapshotChain chain = new SnapshotChain(folder, random.nextInt(10));
        State state = new State(random);
        TreeMap<Long, Map<String, byte[]>> states = new TreeMap<>();
        long clock = 0;
        for (int i = 0; i < snapshots; i++) {
            clock += 1 + random.nextInt(3);
            state.change();
            Map<String, byte[]> copy = state.copy();
            states.put(clock, copy);
            assertTrue(chain.save(snapshot(clock, copy)) > 0);
            assertEquals(clock, chain.last());
        }
        return new History(folder, path, states);
    }

    @Tag("slow")
    @Test
    void everyClockIsReadAsItWasSaved() {
        Property.holds(25, random -> {
            History history = history(random, 1 + random.nextInt(25));
            List<String> damaged = new ArrayList<>();
            List<Long> all = List.copyOf(history.states.descendingKeySet());
            assertEquals(all, history.held(damaged));
            assertEquals(List.of(), damaged);
            for (long clock : all) {
                try (Arena arena = Arena.ofConfined()) {
                    requireSame(history.states.get(clock), history.folder.read(clock, arena));
                }
            }
        });
    }

    @Tag("slow")
    @Test
    void snapshotsOnATornOrChangedFileAreNamedAndOthersStayReadable() {
        Property.holds(60, random -> {
            History history = history(random, 3 + random.nextInt(12));
            List<Long> clocks = List.copyOf(history.states.keySet());
            long hit = clocks.get(random.nextInt(clocks.size()));
            TreeSet<Long> lost = history.onTopOf(hit);
            damage(history.file(hit), random);
            List<String> damaged = new ArrayList<>();
            List<Long> held = history.held(damaged);
            assertEquals(
                    clocks.reversed().stream()
                            .filter(clock -> !lost.contains(clock))
                            .toList(),
                    held);
            assertEquals(lost.size(), damaged.size(), damaged + "");
            int i = 0;
            for (long clock : lost) {
                String sentence = damaged.get(i++);
                assertTrue(sentence.contains(history.file(clock).toString()), sentence);
                assertThrows(SnapshotException.class, () -> readAll(history, clock), sentence);
            }
            for (long clock : held) {
                readAll(history, clock);
            }
        });
    }

    private static void readAll(History history, long clock) {
        try (Arena arena = Arena.ofConfined()) {
            requireSame(history.states.get(clock), history.folder.read(clock, arena));
        }
    }

    /** Deletes a file, truncates it or flips one bit. */
    private static void damage(Path file, SplittableRandom random) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        switch (random.nextInt(3)) {
            case 0 -> Files.write(file, Arrays.copyOf(whole, random.nextInt(whole.length)));
            default -> {
                whole[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                Files.write(file, whole);
            }
        }
    }

    /** The file is intact, but not the one on which the increment was built. */
    @Test
    void anIncrementOfAnotherFileOfTheSameClockIsNotRead() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("node"));
        SnapshotChain chain = new SnapshotChain(folder, 10);
        byte[] state = new byte[50 * PAGE];
        new SplittableRandom(5).nextBytes(state);
        chain.save(snapshot(1, Map.of("table", state.clone())));
        state[7]++;
        chain.save(snapshot(2, Map.of("table", state.clone())));
        state[8]++;
        folder.save(snapshot(1, Map.of("table", state.clone())));
        List<String> damaged = new ArrayList<>();
        assertEquals(List.of(new SnapshotFolder.Held(7, 1)), folder.held(damaged::add));
        assertTrue(damaged.getFirst().contains("which has changed since"), damaged + "");
        try (Arena arena = Arena.ofConfined()) {
            assertThrows(SnapshotException.class, () -> folder.read(2, arena));
        }
    }

    @Test
    void keptSnapshotsAreReadableAndUnneededFilesAreDeleted() {
        Property.holds(25, random -> {
            History history = history(random, 2 + random.nextInt(20));
            TreeSet<Long> wanted = history.states.keySet().stream()
                    .filter(clock -> random.nextInt(4) == 0)
                    .collect(Collectors.toCollection(TreeSet::new));
            TreeSet<Long> needed = new TreeSet<>();
            for (long clock : wanted) {
                for (long link = clock; link >= 0; link = SnapshotFile.parentOf(history.file(link))) {
                    needed.add(link);
                }
            }
            history.folder.keep(wanted::contains);
            try (Stream<Path> files = Files.list(history.path)) {
                assertEquals(needed.size(), files.count());
            }
            for (long clock : needed) {
                readAll(history, clock);
            }
        });
    }

    /** A chain of small increments does not grow beyond the size of a whole snapshot. */
    @Tag("slow")
    @Test
    void aChainTakesLessThanTwiceTheSizeOfAWholeSnapshot() throws IOException {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("node"));
        SnapshotChain chain = new SnapshotChain(folder, 1_000);
        Property.holds(1, random -> {
            byte[] state = new byte[100 * PAGE];
            random.nextBytes(state);
            List<Integer> lengths = new ArrayList<>();
            for (int clock = 1; clock <= 100; clock++) {
                for (int i = 0; i < 5; i++) {
                    random.nextBytes(state); // random pages, which do not compress
                }
                byte[] next = state.clone();
                int page = random.nextInt(95) * PAGE;
                Arrays.fill(next, page, page + 5 * PAGE, (byte) clock);
                chain.save(snapshot(clock, Map.of("table", next)));
                try (Arena arena = Arena.ofConfined()) {
                    lengths.add(folder.read(clock, arena).files());
                }
            }
            assertEquals(
                    100, lengths.stream().filter(files -> files == 1).count(), "all changes each time: " + lengths);
            TreeMap<Long, Map<String, byte[]>> states = new TreeMap<>();
            for (long clock = 101; clock <= 200; clock++) {
                for (int i = 0; i < 5; i++) {
                    byte[] noise = new byte[PAGE];
                    random.nextBytes(noise);
                    System.arraycopy(noise, 0, state, random.nextInt(100) * PAGE, PAGE);
                }
                states.put(clock, Map.of("table", state.clone()));
                chain.save(snapshot(clock, states.get(clock)));
                long whole = 0;
                long increments = 0;
                for (long link = clock; link >= 0; link = SnapshotFile.parentOf(file(link))) {
                    boolean isWhole = SnapshotFile.parentOf(file(link)) < 0;
                    whole += isWhole ? Files.size(file(link)) : 0;
                    increments += isWhole ? 0 : Files.size(file(link));
                }
                assertTrue(increments <= whole, increments + " bytes build on " + whole);
            }
            long all = new History(folder, temporary.resolve("node"), states).length();
            assertTrue(all < states.size() * state.length / 5, all + " bytes for a hundred snapshots");
        });
    }

    private Path file(long clock) {
        return temporary.resolve("node").resolve("%012d.snapshot".formatted(clock));
    }

    /** No increment builds on a snapshot that could not be written, for instance to a full disk. */
    @Test
    void theNextSnapshotBuildsOnTheLastWrittenOne() throws IOException {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("node"));
        SnapshotChain chain = new SnapshotChain(folder, 10);
        byte[] state = new byte[50 * PAGE];
        new SplittableRandom(5).nextBytes(state);
        chain.save(snapshot(1, Map.of("table", state.clone())));
        state[7]++;
        Path inTheWay = Files.createDirectories(temporary.resolve("node/000000000002.snapshot.part/x"));
        assertThrows(SnapshotException.class, () -> chain.save(snapshot(2, Map.of("table", state.clone()))));
        Files.delete(inTheWay);
        Files.delete(inTheWay.getParent());
        state[9 * PAGE]++;
        chain.save(snapshot(3, Map.of("table", state.clone())));
        assertEquals(1, SnapshotFile.parentOf(file(3)));
        try (Arena arena = Arena.ofConfined()) {
            assertArrayEquals(state, folder.read(3, arena).bytes("table"));
        }
    }
}
