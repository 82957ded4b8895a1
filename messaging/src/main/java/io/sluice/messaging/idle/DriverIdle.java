package io.sluice.messaging.idle;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sluice.messaging.linux.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The idle strategy of a thread of a media driver: it sleeps until a socket has a datagram, a node
 * rings, or a publication may send its next turn. It polls for work before it sleeps only if its {@link IdlePeriods}
 * are short: a poll is a system call for each socket, and costs as much as waking. If it cannot wait for all of these
 * events, it backs off as Aeron's threads do. After work it rings for the nodes.
 *
 * <p>For one thread, which starts after {@link #start}.
 */
final class DriverIdle implements IdleStrategy {
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long MIN_PARK_NS = 1_000;

    // struct pollfd
    private static final long ENTRY = 8;
    private static final long EVENTS = 4;
    private static final short READABLE = 1;

    /** Number of bytes of the pipe that are read at once; each byte is a ring. */
    private static final long DRAINED = 64;

    private final List<Sockets> sockets;
    private final boolean sends;
    private final BooleanSupplier isPacing;
    private final long parkNs;
    private final long longestNs;
    private final Timespec timeout = new Timespec();
    private final int[][] seen;
    private final IdleStrategy backoff;
    private final IdlePeriods idlePeriods = new IdlePeriods();
    private Bell bell = Bell.NONE;
    private MemorySegment entries;
    private int count;
    private int looks;

    /**
     * Creates the strategy of one thread.
     *
     * @param sockets   sockets that it reads; none if it polls them at short intervals
     * @param sends     whether it sends what nodes ring for; one thread of a driver does
     * @param isPacing  whether a publication waits for its turn
     * @param parkNs    longest sleep while a publication waits, if no node rings, or if sockets are not known
     * @param longestNs longest sleep otherwise
     */
    DriverIdle(List<Sockets> sockets, boolean sends, BooleanSupplier isPacing, long parkNs, long longestNs) {
        this.sockets = List.copyOf(sockets);
        this.sends = sends;
        this.isPacing = isPacing;
        this.parkNs = Math.min(parkNs, longestNs);
        this.longestNs = longestNs;
        this.seen = new int[sockets.size()][];
        this.backoff = new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, parkNs);
    }

    /** Begins to use the bell of the driver. */
    void start(Bell driver) {
        bell = driver;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            idlePeriods.end();
            reset();
            bell.ringNodes();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (!bell.isOpen() || sockets.isEmpty() || areHidden()) {
            backoff.idle();
            return;
        }
        idlePeriods.begin();
        if (looks < YIELDS && idlePeriods.areShort()) {
            looks++;
            Thread.yield();
        } else if (!sends || !bell.announceDriver()) { // otherwise return: the thread polls once more before it sleeps
            sleep();
        }
    }

    private void sleep() {
        follow();
        timeout.set(sends && !isPacing.getAsBoolean() ? longestNs : parkNs);
        int ready = CLibrary.poll(entries.address(), count, timeout.address());
        if (ready > 0 && sends && entries.get(JAVA_SHORT, EVENTS + JAVA_SHORT.byteSize()) != 0) {
            CLibrary.read(bell.pipe(), entries.address() + count * ENTRY, DRAINED);
        }
    }

    private boolean areHidden() {
        for (int i = 0; i < sockets.size(); i++) {
            if (sockets.get(i).areHidden()) {
                return true;
            }
        }
        return false;
    }

    private void follow() {
        boolean changed = entries == null;
        for (int i = 0; i < seen.length; i++) {
            int[] now = sockets.get(i).descriptors();
            changed |= now != seen[i];
            seen[i] = now;
        }
        if (changed) {
            list();
        }
    }

    /** Lists the pipe first, if nodes ring for this thread, then the sockets; room for the pipe's bytes is last. */
    private void list() {
        count = sends ? 1 : 0;
        for (int[] descriptors : seen) {
            count += descriptors.length;
        }
        entries = Arena.ofAuto().allocate(count * ENTRY + DRAINED, JAVA_LONG.byteSize());
        long at = sends ? listen(0, bell.pipe()) : 0;
        for (int[] descriptors : seen) {
            for (int descriptor : descriptors) {
                at = listen(at, descriptor);
            }
        }
    }

    private long listen(long at, int descriptor) {
        entries.set(JAVA_INT, at, descriptor);
        entries.set(JAVA_SHORT, at + EVENTS, READABLE);
        return at + ENTRY;
    }

    @Override
    public void reset() {
        looks = 0;
        idlePeriods.drop();
        backoff.reset();
    }

    @Override
    public String alias() {
        return "bell";
    }
}
