package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Property;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Frames in the log can be found unchanged; frames that are not in the log may be released. */
class FrameLogTest {
    private static final int LONGEST = 4_000;

    /** The broadcasts of a server, of several tables by several routes, and the expected content of its log. */
    private static final class Model {
        final SplittableRandom random;
        final FrameLog log;
        final List<byte[]> frames = new ArrayList<>();
        final List<long[]> places = new ArrayList<>();
        final int tables;

        /** The clock of each stream. */
        final long[] clocks;

        final int[] sequences;

        /** The last version of each table that all receivers have. */
        final long[] atAll;

        final long[] releasedAt;

        Model(SplittableRandom random, int bound, int tables, int routes) {
            this.random = random;
            this.tables = tables;
            this.clocks = new long[tables * routes];
            this.sequences = new int[tables * routes];
            this.atAll = new long[tables];
            this.releasedAt = new long[tables];
            Arrays.fill(atAll, -1);
            Arrays.fill(releasedAt, -1);
            this.log = new FrameLog(bound, LONGEST, tables, routes, -1, table -> atAll[table]);
        }

        void broadcast() {
            int tableStream = random.nextInt(clocks.length);
            int table = tableStream % tables;
            boolean closes = random.nextInt(6) == 0;
            byte[] frame = closes ? commit(tableStream) : data(tableStream);
            if (0 == sequences[tableStream]) {
                releasedAt[table] = Math.max(releasedAt[table], atAll[table]);
            }
            assertEquals(tableStream, log.tableStream(table, tableStream / tables));
            log.of(tableStream / tables).onFinished(new UnsafeBuffer(frame), frame.length);
            frames.add(frame);
            places.add(new long[] {tableStream, clocks[tableStream], sequences[tableStream]});
            clocks[tableStream] += closes ? 1 : 0;
            sequences[tableStream] = closes ? 0 : sequences[tableStream] + 1;
            int receiving = random.nextInt(tables);
            atAll[receiving] = Math.max(atAll[receiving], versionOf(receiving) - random.nextInt(3));
        }

        /** Last version of a table of which all routes are closed. */
        long versionOf(int table) {
            long version = Long.MAX_VALUE;
            for (int tableStream = table; tableStream < clocks.length; tableStream += tables) {
                version = Math.min(version, clocks[tableStream] - 1);
            }
            return version;
        }

        byte[] data(int tableStream) {
            byte[] bytes = new byte[Frame.DATA_LENGTH + random.nextInt(LONGEST - Frame.DATA_LENGTH)];
            random.nextBytes(bytes);
            new DataEncoder()
                    .wrapAndApplyHeader(new UnsafeBuffer(bytes), 0, new MessageHeaderEncoder())
                    .table(tableStream % tables)
                    .clock(clocks[tableStream])
                    .sequence(sequences[tableStream]);
            return bytes;
        }

        byte[] commit(int tableStream) {
            byte[] bytes = new byte[Frame.HEADER_LENGTH + RoundCommitEncoder.BLOCK_LENGTH];
            new RoundCommitEncoder()
                    .wrapAndApplyHeader(new UnsafeBuffer(bytes), 0, new MessageHeaderEncoder())
                    .table(tableStream % tables)
                    .route(tableStream / tables)
                    .clock(clocks[tableStream])
                    .frames(sequences[tableStream]);
            return bytes;
        }

        /** The result of {@code find}, by a search through all frames ever sent. */
        long search(int tableStream, long clock, int sequence) {
            if (clock > clocks[tableStream] || clock == clocks[tableStream] && sequence >= sequences[tableStream]) {
                return places.size();
            }
            for (int entry = (int) log.first(); entry < places.size(); entry++) {
                if (Arrays.equals(places.get(entry), new long[] {tableStream, clock, sequence})) {
                    return entry;
                }
            }
            return FrameLog.GONE;
        }

        /** The position of the first frame of a stream from an entry on, or of the next future frame. */
        long[] searchFrom(int tableStream, long from) {
            return places.stream()
                    .skip(Math.max(from, log.first()))
                    .filter(place -> place[0] == tableStream)
                    .findFirst()
                    .orElse(new long[] {tableStream, clocks[tableStream], sequences[tableStream]});
        }

        void check() {
            assertEquals(frames.size(), log.end());
            for (int entry = 0; entry < frames.size(); entry++) {
                long[] place = places.get(entry);
                long found = log.find((int) place[0], place[1], (int) place[2]);
                if (entry < log.first()) {
                    assertEquals(FrameLog.GONE, found);
                    boolean released = place[1] <= log.released((int) place[0] % tables);
                    assertTrue(
                            released || entry < log.givenUp(),
                            () -> "a frame is released although a worker may lack it");
                } else {
                    assertEquals(entry, found);
                    assertEquals(place[0], log.tableStream(entry));
                    byte[] held = new byte[log.length(entry)];
                    log.buffer().getBytes(log.offset(entry), held);
                    assertArrayEquals(frames.get(entry), held);
                }
            }
            for (int tableStream = 0; tableStream < clocks.length; tableStream++) {
                assertEquals(log.end(), log.find(tableStream, clocks[tableStream], sequences[tableStream]));
                assertEquals(clocks[tableStream], log.clockFrom(tableStream, log.end()));
                assertEquals(sequences[tableStream], log.sequenceFrom(tableStream, log.end()));
            }
            for (int table = 0; table < tables; table++) {
                assertEquals(releasedAt[table], log.released(table));
            }
        }
    }

    @Test
    void holdsUnchangedFramesThatAWorkerMayLack() {
        Property.holds(20, random -> {
            Model model = new Model(random, 1 << 30, 1 + random.nextInt(4), 1 + random.nextInt(3));
            for (int i = 0; i < 1_500; i++) {
                model.broadcast();
                if (random.nextInt(100) == 0) {
                    model.check();
                }
            }
            model.check();
            assertEquals(0, model.log.givenUp());
        });
    }

    /** The searches include positions without a frame and released entries. */
    @Test
    void findsTheSameAsAnExhaustiveSearch() {
        long[] givenUp = {0};
        Property.holds(20, random -> {
            int bound = random.nextBoolean() ? 1 << 30 : 1 << 16;
            Model model = new Model(random, bound, 1 + random.nextInt(4), 1 + random.nextInt(3));
            int found = 0;
            for (int i = 0; i < 2_000; i++) {
                model.broadcast();
                int tableStream = random.nextInt(model.clocks.length);
                long clock = random.nextLong(model.clocks[tableStream] + 2);
                int sequence = random.nextInt(10);
                long entry = model.search(tableStream, clock, sequence);
                assertEquals(entry, model.log.find(tableStream, clock, sequence));
                found += entry >= 0 && entry < model.log.end() ? 1 : 0;
                long from = random.nextLong(model.log.end() + 1);
                long[] place = model.searchFrom(tableStream, from);
                assertEquals(place[1], model.log.clockFrom(tableStream, from));
                assertEquals(place[2], model.log.sequenceFrom(tableStream, from));
            }
            assertTrue(found > 0, "no search found a frame");
            assertTrue(model.log.first() > 0, "no frame was released");
            givenUp[0] += model.log.givenUp();
        });
        assertTrue(givenUp[0] > 0, "no frame was given up");
    }

    @Test
    void growsToItsBoundAndThenGivesUpTheOldest() {
        Property.holds(10, random -> {
            Model model = new Model(random, 2 << 20, 3, 1);
            for (int i = 0; i < 3_000; i++) {
                model.broadcast();
                Arrays.fill(model.atAll, -1);
                assertTrue(model.log.capacity() <= 2 << 20);
            }
            assertTrue(model.log.givenUp() > 0);
            long held = 0;
            for (long entry = model.log.first(); entry < model.log.end(); entry++) {
                held += model.log.length(entry);
            }
            assertTrue(held > model.log.capacity() - 3 * LONGEST, "the log gives up more than it must");
            model.check();
        });
    }

    /** Acknowledged frames make room, so a log of a few versions suffices for any number of them. */
    @Test
    void staysSmallWhileAllWorkersKeepUp() {
        Property.holds(5, random -> {
            Model model = new Model(random, 1 << 30, 2, 1);
            for (int i = 0; i < 20_000; i++) {
                model.broadcast();
                model.frames.clear();
                model.places.clear();
                model.atAll[0] = model.versionOf(0);
                model.atAll[1] = model.versionOf(1);
            }
            assertEquals(1 << 20, model.log.capacity());
        });
    }

    @Test
    void reportsWhenItIsHalfFullAndWhichFramesItHasGivenUp() {
        AtomicInteger pressed = new AtomicInteger();
        FrameLog log = new FrameLog(1 << 20, LONGEST, 1, 1, -1, new FrameLog.Releases() {
            @Override
            public long releasableVersion(int table) {
                return -1;
            }

            @Override
            public void onPressed() {
                pressed.incrementAndGet();
            }
        });
        Model frames = new Model(new SplittableRandom(1), 1 << 20, 1, 1);
        long used = 0;
        while (0 == pressed.get()) {
            used += append(frames, log);
        }
        assertEquals(1 << 19, used, LONGEST, "pressed at half of the bound");
        assertTrue(log.hasAllSince(-1));
        while (log.hasAllSince(-1)) {
            used += append(frames, log);
        }
        assertEquals(1 << 20, used, LONGEST, "given up at the bound");
        assertTrue(log.hasAllSince(log.clockFrom(0, log.first()) - 1), "held frames are not given up");
    }

    /** Appends a version without data; returns its bytes in the log. */
    private static int append(Model frames, FrameLog log) {
        byte[] frame = frames.commit(0);
        frames.clocks[0]++;
        log.of(0).onFinished(new UnsafeBuffer(frame), frame.length);
        return BitUtil.align(frame.length, Long.BYTES);
    }
}
