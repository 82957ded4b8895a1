package io.sluice.consistency.wire;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.tree.FanOut;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Retains frames that a node has sent and some receiver may miss: the sealed data frames and round commits of all
 * tables, in the order of sending. Frames are released, the oldest first, once no receiver needs their clock.
 *
 * <p>The frames of one table on one route are a <em>stream</em>, with its own numbers and round commits.
 *
 * <p>The log grows up to a bound; at the bound it drops its oldest frames even if they are needed. Its entries are
 * numbered from 0, and keep their numbers while it grows.
 *
 * <p>Used by one thread. Allocates only when it grows.
 */
public final class FrameLog {
    /** Stands for an entry that is no longer held. */
    public static final long GONE = -1;

    private static final int FIRST_CAPACITY = 1 << 20;
    private static final int FIRST_ENTRIES = 1 << 10;
    private static final int ALIGNMENT = 8;

    private final int bound;
    private final int tableCount;
    private final Releases releases;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    private UnsafeBuffer memory;

    /** For each entry, the position at which its frame begins, to be taken modulo the capacity. */
    private long[] begins = new long[FIRST_ENTRIES];

    private int[] lengths = new int[FIRST_ENTRIES];
    private int[] tableStreams = new int[FIRST_ENTRIES];
    private long[] clocks = new long[FIRST_ENTRIES];
    private int[] sequences = new int[FIRST_ENTRIES];
    private long first;
    private long end;
    private long tail;

    /** Number of the entry before which entries were dropped although some worker may miss them. */
    private long givenUp;

    private long givenUpClock = GONE;

    /** For each stream, the clock of the next frame. */
    private final long[] nextClocks;

    /** For each stream, the sequence of the next frame. */
    private final int[] nextSequences;

    /** For each stream, its entries in the log. */
    private final TableStreamEntries[] held;

    /** For each table, the last version that all workers have. */
    private final long[] released;

    /** States which frames receivers no longer need. */
    @FunctionalInterface
    public interface Releases {
        /**
         * The last version of a table that no receiver needs.
         *
         * @param table id of the table
         * @return the version, or -1
         */
        long releasableVersion(int table);

        /** Called while frames occupy more than half of the bound. */
        default void onPressed() {}
    }

    /**
     * Creates an empty log.
     *
     * @param bound    bytes that frames may occupy; rounded down to a power of two, but enough for some frames
     * @param longest  length of the longest frame in bytes
     * @param tables   number of tables
     * @param routes   number of routes
     * @param version  last version of all tables that all workers have; -1 for none
     * @param releases called once for each version of a table
     */
    public FrameLog(int bound, int longest, int tables, int routes, long version, Releases releases) {
        this.tableCount = tables;
        int least = BitUtil.findNextPositivePowerOfTwo(4 * BitUtil.align(longest, ALIGNMENT));
        this.bound = Math.max(least, Integer.highestOneBit(bound));
        this.memory = new FrameBuffer(Math.min(this.bound, Math.max(least, FIRST_CAPACITY))).buffer();
        this.releases = releases;
        this.nextClocks = new long[tables * routes];
        this.nextSequences = new int[tables * routes];
        this.held = new TableStreamEntries[tables * routes];
        Arrays.setAll(held, tableStream -> new TableStreamEntries());
        this.released = new long[tables];
        Arrays.fill(released, version);
        Arrays.fill(nextClocks, version + 1);
    }

    /**
     * Allocates the memory that will be needed, as far as the bound allows. Call it before the first frame is appended.
     *
     * @param bytes  bytes of the frames that will be held at a time
     * @param frames frames that will be held at a time
     */
    public void reserve(long bytes, int frames) {
        int capacity = (int) Math.min(bound, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
        if (capacity > memory.capacity()) {
            memory = new FrameBuffer(capacity).buffer();
        }
        while (frames > begins.length) {
            growEntries();
        }
    }

    /** The recorder of the frames of one route. */
    public FanOut.FinishedFrames of(int route) {
        return (frame, length) -> append(route, frame, length);
    }

    /** The stream of a table on one route. */
    public int tableStream(int table, int route) {
        return route * tableCount + table;
    }

    public int tableStreams() {
        return nextClocks.length;
    }

    public int table(int tableStream) {
        return tableStream % tableCount;
    }

    public int route(int tableStream) {
        return tableStream / tableCount;
    }

    /** Appends a copy of a frame. */
    private void append(int route, DirectBuffer frame, int length) {
        boolean closes = RoundCommitDecoder.TEMPLATE_ID == Frame.templateId(frame, 0);
        int table;
        long clock;
        int sequence;
        if (closes) {
            commit.wrapAndApplyHeader(frame, 0, header);
            table = commit.table();
            clock = commit.clock();
            sequence = commit.frames();
        } else {
            data.wrapAndApplyHeader(frame, 0, header);
            table = data.table();
            clock = data.clock();
            sequence = data.sequence();
        }
        if (0 == sequence) { // the first frame of a version may be the first sign that all workers have the
            // previous version
            release(table);
        }
        makeRoom(length);
        int tableStream = tableStream(table, route);
        put(frame, length, tableStream, clock, sequence);
        if (tail - begins[slot(first)] > bound / 2) {
            releases.onPressed();
        }
        nextClocks[tableStream] = closes ? clock + 1 : clock;
        nextSequences[tableStream] = closes ? 0 : sequence + 1;
    }

    private void put(DirectBuffer frame, int length, int tableStream, long clock, int sequence) {
        tail += padding(length);
        memory.putBytes(at(tail), frame, 0, length);
        int slot = slot(end);
        begins[slot] = tail;
        lengths[slot] = length;
        tableStreams[slot] = tableStream;
        clocks[slot] = clock;
        sequences[slot] = sequence;
        tail += BitUtil.align(length, ALIGNMENT);
        held[tableStream].add(end);
        end++;
    }

    private void release(int table) {
        released[table] = Math.max(released[table], releases.releasableVersion(table));
        while (first < end && clocks[slot(first)] <= released[table(tableStreams[slot(first)])]) {
            removeFirst();
        }
    }

    private void removeFirst() {
        held[tableStreams[slot(first)]].removeFirst();
        first++;
    }

    private void makeRoom(int length) {
        while (!hasRoom(length)) {
            if (memory.capacity() < bound) {
                grow();
            } else {
                givenUpClock = Math.max(givenUpClock, clocks[slot(first)]);
                removeFirst();
                givenUp = first;
            }
        }
        if (end - first == begins.length) {
            growEntries();
        }
    }

    private boolean hasRoom(int length) {
        if (first == end) {
            return true;
        }
        long used = tail - begins[slot(first)];
        return used + padding(length) + BitUtil.align(length, ALIGNMENT) <= memory.capacity();
    }

    /** Number of bytes up to the end of the memory if the frame does not fit there, otherwise 0. */
    private int padding(int length) {
        int left = memory.capacity() - at(tail);
        return BitUtil.align(length, ALIGNMENT) > left ? left : 0;
    }

    private void grow() {
        UnsafeBuffer smaller = memory;
        memory = new FrameBuffer(2 * smaller.capacity()).buffer();
        tail = 0;
        for (long entry = first; entry < end; entry++) {
            int slot = slot(entry);
            int from = (int) (begins[slot] & smaller.capacity() - 1);
            tail += padding(lengths[slot]);
            memory.putBytes(at(tail), smaller, from, lengths[slot]);
            begins[slot] = tail;
            tail += BitUtil.align(lengths[slot], ALIGNMENT);
        }
    }

    private void growEntries() {
        int size = 2 * begins.length;
        long[] newBegins = new long[size];
        int[] newLengths = new int[size];
        int[] newTableStreams = new int[size];
        long[] newClocks = new long[size];
        int[] newSequences = new int[size];
        for (long entry = first; entry < end; entry++) {
            int from = slot(entry);
            int to = (int) (entry & size - 1);
            newBegins[to] = begins[from];
            newLengths[to] = lengths[from];
            newTableStreams[to] = tableStreams[from];
            newClocks[to] = clocks[from];
            newSequences[to] = sequences[from];
        }
        begins = newBegins;
        lengths = newLengths;
        tableStreams = newTableStreams;
        clocks = newClocks;
        sequences = newSequences;
    }

    private int slot(long entry) {
        return (int) (entry & begins.length - 1);
    }

    private int at(long position) {
        return (int) (position & memory.capacity() - 1);
    }

    /** Number of the oldest entry held; {@link #end} if there is none. */
    public long first() {
        return first;
    }

    /** Number of the next entry. */
    public long end() {
        return end;
    }

    /** Number of the first entry that was not dropped to stay within the bound. */
    public long givenUp() {
        return givenUp;
    }

    /**
     * Finds a frame of a stream; a round commit follows the last frame of its version. Takes logarithmic time in
     * the number of held frames of the stream.
     *
     * @param tableStream number of the stream
     * @param clock       version
     * @param sequence    sequence of the frame
     * @return number of its entry, {@link #end} if the frame is not sent yet, or {@link #GONE}
     */
    public long find(int tableStream, long clock, int sequence) {
        if (clock > nextClocks[tableStream]
                || clock == nextClocks[tableStream] && sequence >= nextSequences[tableStream]) {
            return end;
        }
        TableStreamEntries entries = held[tableStream];
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = low + high >>> 1;
            int slot = slot(entries.get(middle));
            if (clocks[slot] < clock || clocks[slot] == clock && sequences[slot] < sequence) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == entries.size()) {
            return GONE;
        }
        int slot = slot(entries.get(low));
        return clocks[slot] == clock && sequences[slot] == sequence ? entries.get(low) : GONE;
    }

    /** The last version of a table that every worker has, so that it need not be sent again. */
    public long released(int table) {
        return released[table];
    }

    /**
     * Version of the first frame of a stream that is held from an entry on, or of the next future frame. Takes
     * logarithmic time in the number of held frames of the stream.
     */
    public long clockFrom(int tableStream, long entry) {
        long found = next(tableStream, entry);
        return found < end ? clocks[slot(found)] : nextClocks[tableStream];
    }

    /** Ordinal of the frame of {@link #clockFrom}. */
    public int sequenceFrom(int tableStream, long entry) {
        long found = next(tableStream, entry);
        return found < end ? sequences[slot(found)] : nextSequences[tableStream];
    }

    private long next(int tableStream, long from) {
        TableStreamEntries entries = held[tableStream];
        int index = entries.indexFrom(from);
        return index < entries.size() ? entries.get(index) : end;
    }

    /** The last clock of which a frame was dropped to stay within the bound; {@link #GONE} if none was. */
    public long givenUpClock() {
        return givenUpClock;
    }

    /**
     * Whether no frame of a later clock was dropped to stay within the bound.
     *
     * @param clock any clock
     */
    public boolean hasAllSince(long clock) {
        return givenUpClock <= clock;
    }

    /** Stream of an entry. */
    public int tableStream(long entry) {
        return tableStreams[slot(entry)];
    }

    /** Clock, or version, of an entry. */
    public long clock(long entry) {
        return clocks[slot(entry)];
    }

    /** The buffer that holds the frames. */
    public DirectBuffer buffer() {
        return memory;
    }

    /** The offset of an entry's frame. */
    public int offset(long entry) {
        return at(begins[slot(entry)]);
    }

    /** Number of bytes of the frame of an entry. */
    public int length(long entry) {
        return lengths[slot(entry)];
    }

    /** Number of bytes of memory allocated for frames. */
    public int capacity() {
        return memory.capacity();
    }
}
