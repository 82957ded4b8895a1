package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockLogTest {
    private static final long RUN = 7;
    private static final long MOST = 1 << 20;

    @TempDir
    private Path temporary;

    private final List<String> reports = new CopyOnWriteArrayList<>();

    private ClockLog log(Path folder, long mostBytes) {
        return new ClockLog(folder, RUN, "worker 0", mostBytes, SystemNanoClock.INSTANCE, reports::add);
    }

    private Path newFolder(SplittableRandom random) {
        try {
            return Files.createDirectories(temporary.resolve("seed " + random.nextLong()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(SplittableRandom random, int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Writes clocks with random items in some files; returns the items. */
    private TreeMap<Long, byte[]> write(Path folder, SplittableRandom random, long from, int clocks) {
        TreeMap<Long, byte[]> written = new TreeMap<>();
        try (ClockLog log = log(folder, MOST)) {
            log.begin(from);
            for (long clock = from + 1; clock <= from + clocks; clock++) {
                byte[] first = bytes(random, 3_000);
                log.add(new UnsafeBuffer(first), 0, first.length);
                if (0 == random.nextInt(5)) {
                    log.discard();
                    log.add(first);
                }
                log.add(clock);
                log.end(clock);
                written.put(clock, first);
                if (0 == random.nextInt(4)) {
                    log.add(bytes(random, 100)); // of a clock that is not complete
                    log.begin(clock);
                }
            }
            log.add(bytes(random, 100));
        }
        return written;
    }

    private static void requireReplay(Path folder, TreeMap<Long, byte[]> written, long from, long to)
            throws IOException {
        List<Long> clocks = new ArrayList<>();
        LoggedClocks.replay(folder, RUN, from, to, (clock, items) -> {
            assertArrayEquals(written.get(clock), items.nextBytes());
            assertEquals(clock, items.nextNumber());
            assertTrue(!items.next(), "two items were added");
            clocks.add(clock);
        });
        assertEquals(List.copyOf(written.subMap(from, false, to, true).keySet()), clocks);
    }

    @Test
    void hasTheClocksOfEachFileAndCutsThem() {
        Property.holds(30, random -> {
            Path folder = newFolder(random);
            long from = random.nextInt(100);
            int clocks = 1 + random.nextInt(30);
            TreeMap<Long, byte[]> written = write(folder, random, from, clocks);
            assertEquals(new TreeSet<>(written.keySet()), LoggedClocks.clocks(folder, RUN));
            assertTrue(LoggedClocks.clocks(folder, RUN + 1).isEmpty(), "another run has none");
            long begin = from + random.nextInt(clocks);
            requireReplay(folder, written, begin, random.nextLong(begin, from + clocks + 1));
            SnapshotException beyond = assertThrows(
                    SnapshotException.class, () -> requireReplay(folder, written, begin, from + clocks + 1));
            assertTrue(
                    beyond.getMessage().contains("end at clock " + (from + clocks) + ", expected"),
                    beyond.getMessage());

            long last = random.nextLong(from, from + clocks + 1);
            LoggedClocks.cut(folder, RUN, last);
            assertEquals(new TreeSet<>(written.headMap(last, true).keySet()), LoggedClocks.clocks(folder, RUN));
            TreeMap<Long, byte[]> after = write(folder, random, last, 10); // another future
            after.putAll(written.headMap(last, true));
            requireReplay(folder, after, from, last + 10);

            long oldest = random.nextLong(from, last + 11);
            LoggedClocks.drop(folder, oldest);
            requireReplay(folder, after, oldest, last + 10);
            LoggedClocks.cut(folder, RUN + 1, last + 10);
            assertTrue(LoggedClocks.clocks(folder, RUN).isEmpty(), "files of other runs are deleted");
        });
    }

    /** A process or a machine that dies leaves the begin of a file, and possibly wrong bytes at its end. */
    @Test
    void aTornOrDamagedFileEndsWithItsLastSoundRecord() {
        Property.holds(60, random -> {
            Path folder = newFolder(random);
            TreeMap<Long, byte[]> written = write(folder, random, 0, 20);
            List<Path> files;
            try (Stream<Path> all = Files.list(folder)) {
                files = all.sorted().toList();
            }
            byte[] whole = Files.readAllBytes(files.getLast());
            byte[] torn = ByteBuffer.allocate(whole.length)
                    .put(whole, 0, random.nextInt(whole.length + 1))
                    .array();
            if (random.nextBoolean()) {
                torn = whole.clone();
                torn[random.nextInt(torn.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(files.getLast(), torn);
            TreeSet<Long> left = new TreeSet<>(LoggedClocks.clocks(folder, RUN));
            long last = left.isEmpty() ? 0 : left.last();
            assertEquals(
                    new TreeSet<>(written.headMap(last, true).keySet()), left, "no clock before the damage is lost");
            requireReplay(folder, written, 0, last);
            LoggedClocks.cut(folder, RUN, last);
            TreeMap<Long, byte[]> after = write(folder, random, last, 5);
            after.putAll(written.headMap(last, true));
            requireReplay(folder, after, 0, last + 5);
        });
    }

    /** A torn record may state any length, also in a file that is longer than a buffer can be. */
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 2_985, 1 << 30, Integer.MAX_VALUE - 16, Integer.MAX_VALUE})
    void aRecordThatStatesAWrongLengthEndsTheFile(int length) {
        Property.holds(1, random -> {
            for (long space : new long[] {3_000, 3L << 30}) {
                Path folder = newFolder(random);
                byte[] content = bytes(random, 100);
                try (ClockLog log = log(folder, MOST)) {
                    log.begin(4);
                    log.add(content);
                    log.add(5);
                    log.end(5);
                }
                Path path = folder.resolve("000000000004.log");
                try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                    long end = file.length();
                    file.seek(end);
                    file.writeInt(Integer.reverseBytes(length));
                    file.setLength(end + space); // the rest is a hole
                }
                TreeMap<Long, byte[]> written = new TreeMap<>(Map.of(5L, content));
                assertEquals(written.keySet(), LoggedClocks.clocks(folder, RUN));
                requireReplay(folder, written, 4, 5);
                LoggedClocks.cut(folder, RUN, 5);
                written.putAll(write(folder, random, 5, 3));
                requireReplay(folder, written, 4, 8);
            }
        });
    }

    @Test
    void endsWhenItIsAsLongAsASnapshot() throws IOException {
        long most = 1 << 17;
        try (ClockLog log = log(temporary, most)) {
            log.begin(0);
            for (long clock = 1; clock <= 200; clock++) {
                log.add(new byte[1000]);
                log.end(clock);
                if (150 == clock) {
                    log.begin(150);
                }
            }
        }
        long logged = most / (1000 + Integer.BYTES);
        TreeSet<Long> expected = new TreeSet<>();
        for (long clock = 1; clock <= 200; clock++) {
            if (clock <= logged || clock > 150) {
                expected.add(clock);
            }
        }
        assertEquals(expected, LoggedClocks.clocks(temporary, RUN));
        assertEquals(1, reports.size(), reports + "");
        assertTrue(
                reports.getFirst()
                        .contains(
                                "logs " + logged + " clocks after the last snapshot, and no more before the next: the"),
                reports + "");
    }

    /** A folder in place of the file makes each write fail, for root, too. */
    @Test
    void aLogThatCannotBeWrittenEndsUntilTheNextSnapshot() throws IOException {
        Files.createDirectories(temporary.resolve("000000000003.log/x"));
        try (ClockLog log = log(temporary, MOST)) {
            log.begin(3);
            for (long clock = 4; reports.isEmpty(); clock++) {
                log.add(clock);
                log.end(clock);
            }
            assertTrue(reports.getFirst().contains("its file cannot be written"), reports + "");
            log.begin(50);
            log.add(51);
            log.end(51);
        }
        Files.delete(temporary.resolve("000000000003.log/x"));
        Files.delete(temporary.resolve("000000000003.log"));
        assertEquals(new TreeSet<>(List.of(51L)), LoggedClocks.clocks(temporary, RUN));
    }
}
