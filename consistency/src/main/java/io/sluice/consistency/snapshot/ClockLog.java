package io.sluice.consistency.snapshot;

import io.sluice.messaging.Patience;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * The log of the clocks after a snapshot: a record for each clock, with all that changes the state of a node in it. A
 * node restores any logged clock from the snapshot and the records after it (Xie et al., SoCC 2018, section 3.3).
 *
 * <p>Records are collected in memory and written at the ends of clocks by a thread of the log. Nothing waits for the
 * disk: while that thread writes, further clocks are collected. A log that would become longer than a snapshot, or that
 * the disk cannot keep up with, ends; the next snapshot begins another one. Files are forced to disk when the next
 * snapshot begins one, so the death of a process loses at most the clocks that wait for the thread.
 *
 * <p>For one thread, apart from its own.
 */
public final class ClockLog implements AutoCloseable {
    /** Length in a record that marks the begin of the next file, after the snapshot of its clock. */
    private static final int NEXT_FILE = -1;

    private static final int FIRST_CAPACITY = 1 << 16;
    private static final int WRITE_BYTES = 1 << 20;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long CLOSING_NS = TimeUnit.MINUTES.toNanos(1);

    private final Path folder;
    private final long run;
    private final String node;
    private final long mostBytes;
    private final NanoClock clock;
    private final Consumer<String> report;
    private final Thread thread;

    private ExpandableDirectByteBuffer open = new ExpandableDirectByteBuffer(FIRST_CAPACITY);
    private ExpandableDirectByteBuffer passed = new ExpandableDirectByteBuffer(FIRST_CAPACITY);

    /** Where the record that is being collected begins and ends. */
    private int recordAt;

    private int end;

    private long fileBytes;
    private long records;
    private boolean ended = true;
    private boolean reported;

    /** Bytes of {@link #passed} that the thread has to write; 0 if it is idle. */
    private volatile int passedBytes;

    private volatile String failure;
    private volatile boolean closing;

    /** The file of the writing thread; null before the first. */
    private FileChannel file;

    /**
     * Creates a log without files; {@link #begin} begins one.
     *
     * @param folder    folder of the node
     * @param run       run of its snapshots
     * @param node      name of the node in messages
     * @param mostBytes length at which a log ends: that of a snapshot
     * @param clock     monotonic time
     * @param report    prints a sentence when a log ends before its time, once, or its disk is slow at the end
     */
    ClockLog(Path folder, long run, String node, long mostBytes, NanoClock clock, Consumer<String> report) {
        this.folder = folder;
        this.run = run;
        this.node = node;
        this.mostBytes = Math.max(mostBytes, FIRST_CAPACITY);
        this.clock = clock;
        this.report = report;
        this.thread = new Thread(this::write, "sluice-clock-log");
        thread.setDaemon(true);
        thread.start();
        discard();
    }

    /**
     * Begins a log: the records from here on follow a clock whose state can be restored without them.
     *
     * @param base clock of a snapshot
     */
    public void begin(long base) {
        ended = false;
        failure = null;
        fileBytes = 0;
        records = 0;
        header(recordAt, NEXT_FILE, base);
        recordAt += LoggedClocks.RECORD_HEADER;
        discard();
        pass();
    }

    /** Whether clocks are logged now: after a snapshot, and until the log ends. */
    public boolean isOpen() {
        return !ended;
    }

    /**
     * Adds bytes to the record of the current clock.
     *
     * @param bytes  buffer with the bytes
     * @param offset offset of the first
     * @param length number of bytes
     */
    public void add(DirectBuffer bytes, int offset, int length) {
        if (addItem(length)) {
            open.putBytes(end - length, bytes, offset, length);
        }
    }

    /** Adds bytes of an array, as {@link #add(DirectBuffer, int, int)}. */
    public void add(byte[] bytes) {
        if (addItem(bytes.length)) {
            open.putBytes(end - bytes.length, bytes);
        }
    }

    /** Adds a number, as {@link #add(DirectBuffer, int, int)} adds bytes. */
    public void add(long number) {
        if (addItem(Long.BYTES)) {
            open.putLong(end - Long.BYTES, number, ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** Adds an item, whose bytes end at {@link #end} and are yet to be written, if the record can hold it. */
    private boolean addItem(int length) {
        if (!hasRoom(Integer.BYTES + length)) {
            return false;
        }
        open.putInt(end, length, ByteOrder.LITTLE_ENDIAN);
        end += Integer.BYTES + length;
        return true;
    }

    /** Drops what has been added to the record of the current clock. */
    void discard() {
        end = recordAt + LoggedClocks.RECORD_HEADER;
    }

    /**
     * Completes the record of a clock.
     *
     * @param completed clock; each record has the clock after that of the record before
     */
    public void end(long completed) {
        if (ended) {
            pass(); // passes on records that still wait because the disk was too slow
            return;
        }
        header(recordAt, end - recordAt - LoggedClocks.RECORD_HEADER, completed);
        records++;
        recordAt = end;
        discard();
        pass();
    }

    private void header(int at, int length, long ofClock) {
        open.putInt(at, length, ByteOrder.LITTLE_ENDIAN);
        open.putLong(at + LoggedClocks.CLOCK_AT, ofClock, ByteOrder.LITTLE_ENDIAN);
    }

    /** Passes complete records to the thread if that is idle. */
    private void pass() {
        if (0 == passedBytes && recordAt > 0) {
            ExpandableDirectByteBuffer other = passed;
            passed = open;
            int bytes = recordAt;
            open = other;
            recordAt = 0;
            discard();
            passedBytes = bytes; // published with the buffer
            LockSupport.unpark(thread);
        }
    }

    private boolean hasRoom(int bytes) {
        if (ended) {
            return false;
        }
        fileBytes += bytes;
        if (null == failure && fileBytes <= mostBytes && (long) end + bytes <= LoggedClocks.MOST_BYTES) {
            return true;
        }
        ended = true;
        if (!reported) {
            reported = true;
            report.accept(node + " logs " + records + " clocks after the last snapshot, and no more before the next: "
                    + reason());
        }
        return false;
    }

    private String reason() {
        if (null != failure) {
            return failure;
        }
        return fileBytes > mostBytes
                ? "the log has become as long as a snapshot"
                : "the disk of " + folder + " does not keep up";
    }

    private void write() {
        while (!closing || passedBytes > 0) {
            if (0 == passedBytes) {
                LockSupport.park(this);
                continue;
            }
            try {
                write(passed, passedBytes);
            } catch (IOException | RuntimeException | Error e) {
                failure = "its file cannot be written: " + e.getMessage();
                closeFile();
            }
            passedBytes = 0;
        }
        closeFile();
    }

    private void write(ExpandableDirectByteBuffer batch, int bytes) throws IOException {
        int from = 0;
        int at = 0;
        while (at < bytes) {
            int length = batch.getInt(at, ByteOrder.LITTLE_ENDIAN);
            if (NEXT_FILE == length) {
                write(batch, from, at);
                openFile(batch.getLong(at + LoggedClocks.CLOCK_AT, ByteOrder.LITTLE_ENDIAN));
                at += LoggedClocks.RECORD_HEADER;
                from = at;
            } else {
                int checksum = LoggedClocks.checksum(batch.byteBuffer(), at, length);
                batch.putInt(at + LoggedClocks.CHECKSUM_AT, checksum, ByteOrder.LITTLE_ENDIAN);
                at += LoggedClocks.RECORD_HEADER + length;
            }
        }
        write(batch, from, bytes);
    }

    private void write(ExpandableDirectByteBuffer batch, int from, int to) throws IOException {
        for (int at = from; null != file && at < to; ) {
            ByteBuffer piece = batch.byteBuffer().duplicate();
            piece.limit(Math.min(to, at + WRITE_BYTES)).position(at);
            at += file.write(piece);
        }
    }

    private void openFile(long base) throws IOException {
        if (null != file) {
            file.force(false);
        }
        closeFile();
        file = LoggedClocks.create(folder, run, base);
    }

    private void closeFile() {
        try {
            if (null != file) {
                file.close();
            }
        } catch (IOException e) {
            failure = "its file cannot be closed: " + e.getMessage();
        }
        file = null;
    }

    /** Waits until the log's thread has written all complete records, for at most a minute. */
    @Override
    public void close() {
        Patience patience = new Patience(node, CLOSING_NS, report, clock.nanoTime());
        long nowNs = clock.nanoTime();
        while (thread.isAlive() && !patience.isOver(nowNs)) {
            pass();
            if (0 == recordAt) {
                closing = true;
                LockSupport.unpark(thread);
            }
            LockSupport.parkNanos(LOOK_NS);
            nowNs = clock.nanoTime();
            if (patience.isTime(nowNs)) {
                patience.report("its log of clocks to be written to " + folder, nowNs);
            }
        }
    }
}
