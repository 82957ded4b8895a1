package io.sluice.consistency.snapshot;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The files of a {@link ClockLog} in the folder of a node: {@code CLOCK.log} has the clocks after the snapshot of that
 * clock. A file is a header (magic number, run, clock of the snapshot) and records (length of the content, CRC-32C of
 * clock and content, clock, content), all little endian. Readers ignore everything after the last valid record: a
 * process that dies while it writes can leave a part of one.
 */
public final class LoggedClocks {
    static final int CHECKSUM_AT = Integer.BYTES;
    static final int CLOCK_AT = 2 * Integer.BYTES;
    static final int RECORD_HEADER = CLOCK_AT + Long.BYTES;

    /** Maximum length of a record in bytes, including its header. A file can exceed the maximum length of a buffer. */
    static final int MOST_BYTES = 1 << 30;

    /** The letters SLUCLOG and the number of the format. */
    private static final long MAGIC = 0x01474F4C43554C53L;

    private static final int FILE_HEADER = 3 * Long.BYTES;
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})\\.log");
    private static final Set<StandardOpenOption> CREATE =
            EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> CHANGE = EnumSet.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private LoggedClocks() {}

    /** Handles the records of a file. */
    @FunctionalInterface
    private interface Visitor {
        /**
         * Handles a record.
         *
         * @return whether to continue with the next one
         */
        boolean onRecord(long clock, Items items);
    }

    /** Applies records to the state of a node. */
    @FunctionalInterface
    public interface Replay {
        /**
         * Applies a record.
         *
         * @param clock clock of the record, one more than at the previous call
         * @param items items of the record
         */
        void onClock(long clock, Items items);
    }

    /** The items of a record, in the order in which they were added. They are valid until the replay continues. */
    public static final class Items {
        private final UnsafeBuffer content;
        private int at;
        private int length;

        private Items(ByteBuffer record) {
            this.content = new UnsafeBuffer(record, RECORD_HEADER, record.capacity() - RECORD_HEADER);
        }

        /** Moves to the next item, the first at the first call; returns whether there is one. */
        public boolean next() {
            at += length;
            if (at == content.capacity()) {
                return false;
            }
            length = content.getInt(at, ByteOrder.LITTLE_ENDIAN);
            at += Integer.BYTES;
            return true;
        }

        /** Holds the item from {@link #offset} on. */
        public DirectBuffer buffer() {
            return content;
        }

        /** Offset of the item in the buffer. */
        public int offset() {
            return at;
        }

        /** Length of the item in bytes. */
        public int length() {
            return length;
        }

        /** Moves to the next item, and returns it as a number. */
        public long nextNumber() {
            next();
            return content.getLong(at, ByteOrder.LITTLE_ENDIAN);
        }

        /** Moves to the next item, and returns its bytes. */
        public byte[] nextBytes() {
            next();
            byte[] bytes = new byte[length];
            content.getBytes(at, bytes);
            return bytes;
        }
    }

    /** Creates a file, in place of another of the same clock. */
    static FileChannel create(Path folder, long run, long base) throws IOException {
        Path path = folder.resolve("%012d.log".formatted(base));
        FileChannel file = FileChannel.open(path, CREATE, OwnerOnly.file(path));
        file.write(ByteBuffer.allocate(FILE_HEADER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putLong(run)
                .putLong(base)
                .flip());
        return file;
    }

    /** The checksum of the record at an offset. */
    static int checksum(ByteBuffer bytes, int at, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.duplicate().limit(at + RECORD_HEADER + length).position(at + CLOCK_AT));
        return (int) checksum.getValue();
    }

    /** The clocks of a run. */
    static Set<Long> clocks(Path folder, long run) throws IOException {
        Set<Long> clocks = new TreeSet<>();
        for (Path file : files(folder).values()) {
            visit(file, run, (clock, _) -> clocks.add(clock) || true);
        }
        return clocks;
    }

    /**
     * Reads the records of a range of clocks.
     *
     * @param from clock before the first
     * @param to   the last one
     * @throws SnapshotException if one is missing
     */
    static void replay(Path folder, long run, long from, long to, Replay replay) throws IOException {
        long[] done = {from};
        for (Path file : files(folder).values()) {
            visit(file, run, (clock, items) -> {
                if (clock == done[0] + 1 && clock <= to) {
                    replay.onClock(clock, items);
                    done[0] = clock;
                }
                return clock < to;
            });
        }
        if (done[0] < to) {
            throw new SnapshotException("the logs in " + folder + " end at clock " + done[0]
                    + ", expected all clocks from " + (from + 1) + " to " + to);
        }
    }

    /** Drops all later clocks, and the files of other runs. */
    static void cut(Path folder, long run, long last) throws IOException {
        for (Map.Entry<Long, Path> each : files(folder).entrySet()) {
            long end = each.getKey() >= last ? 0 : visit(each.getValue(), run, (clock, _) -> clock <= last);
            if (end <= FILE_HEADER) {
                Files.delete(each.getValue());
            } else {
                try (FileChannel file = FileChannel.open(each.getValue(), CHANGE)) {
                    file.truncate(end).force(true);
                }
            }
        }
    }

    /** Deletes the files of which all clocks are older than a snapshot: those that another such file follows. */
    static void drop(Path folder, long oldest) throws IOException {
        TreeMap<Long, Path> files = files(folder);
        Long last = files.floorKey(oldest);
        if (null != last) {
            for (Path file : files.headMap(last).values()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Visits the valid records of a file until the visitor stops; returns the end of the last one accepted. */
    private static long visit(Path path, long run, Visitor visitor) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
                Arena arena = Arena.ofConfined()) {
            MemorySegment all = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
            long end = all.byteSize();
            if (end < FILE_HEADER || MAGIC != all.get(I64, 0) || run != all.get(I64, Long.BYTES)) {
                return 0;
            }
            long at = FILE_HEADER;
            while (at + RECORD_HEADER <= end) {
                int length = all.get(I32, at);
                if (length < 0 || length > Math.min(MOST_BYTES, end - at) - RECORD_HEADER) {
                    return at;
                }
                ByteBuffer record =
                        all.asSlice(at, RECORD_HEADER + length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
                if (checksum(record, 0, length) != record.getInt(CHECKSUM_AT)
                        || !visitor.onRecord(record.getLong(CLOCK_AT), new Items(record))) {
                    return at;
                }
                at += RECORD_HEADER + length;
            }
            return at;
        } catch (InternalError e) { // of a page that the file system cannot read
            throw new IOException("the file " + path + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** The files by the clocks of their snapshots. */
    private static TreeMap<Long, Path> files(Path folder) throws IOException {
        TreeMap<Long, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            all.forEach(file -> {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    files.put(Long.valueOf(name.group(1)), file);
                }
            });
        }
        return files;
    }
}
