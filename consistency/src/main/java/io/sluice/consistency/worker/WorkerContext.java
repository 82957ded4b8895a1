package io.sluice.consistency.worker;

import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.Settings;
import java.util.Objects;
import java.util.function.Consumer;

/** Settings of a {@link Worker}. The terms of the cluster arrive with the welcome. */
public final class WorkerContext extends NodeContext<WorkerContext> {
    /** Property for {@link #filterLanes(int)}. */
    public static final String LANES_PROPERTY = "sluice.filter.lanes";

    /** Property for {@link #readMyWrites(boolean)}. */
    public static final String READ_MY_WRITES_PROPERTY = "sluice.read.my.writes";

    /**
     * Default of {@link #outboxFrames(int)}: 2 MiB of slices of the default length, about the capacity of a link's log.
     */
    public static final int DEFAULT_OUTBOX_FRAMES = 32;

    private static final int DEFAULT_RELAY_BYTES = 16 << 20;
    private static final int MIN_RELAY_BYTES = 1 << 16;
    private static final int MAX_RELAY_BYTES = 1 << 30;
    private static final int MAX_LANES = 64;
    private static final int MAX_OUTBOX_FRAMES = 1 << 14;

    /** Maximum number of its own rounds that a worker reads before they return. */
    private static final int MAX_OWN_ROUNDS = 8;

    /** Maximum of own rounds under a rule whose versions do not state which rounds they hold. */
    private static final int OWN_ROUNDS_OF_UNBOUNDED = 4;

    private Consumer<ClockFigures> clockListener;
    private boolean finiteOnly = true;
    private boolean readMyWrites = Settings.flag(READ_MY_WRITES_PROPERTY, true);
    private int filterLanes = Settings.intSize(LANES_PROPERTY, 1);
    private String sending = System.getProperty("sluice.sending");
    private int relayBytes = Settings.intSize("sluice.relay.length", DEFAULT_RELAY_BYTES);
    private int outboxFrames = Settings.intSize("sluice.outbox.frames", DEFAULT_OUTBOX_FRAMES);

    /** Creates settings with their defaults. */
    public WorkerContext() {}

    @Override
    protected WorkerContext self() {
        return this;
    }

    /**
     * Whether updates with NaN or infinity are refused before any part of them is pushed, which costs one more read of
     * each update. Without it the push that reads them ends the job. The exception has {@code Failure.NOT_FINITE} in
     * either case. Increments of single parameters and rows are always checked, and so are all updates of a cluster
     * that sends bfloat16.
     *
     * @param value true by default
     * @return this
     */
    public WorkerContext finiteOnly(boolean value) {
        finiteOnly = value;
        return this;
    }

    /** Whether updates with NaN or infinity are refused. */
    public boolean finiteOnly() {
        return finiteOnly;
    }

    /**
     * Whether the trainer reads its own updates from the next {@link Table#sync} on, before they return in a broadcast.
     * Applies to {@code ssp} and {@code tap} with the protocol {@code update}; under {@code bsp} a sync waits for all
     * updates in any case, and other terms ignore the setting.
     *
     * <p>If a worker is ahead of the others, a version may include its next round early. The trainer then reads that
     * update twice until the next version arrives. Residuals are not included.
     *
     * <p>Rules other than {@code sum} exclude it, because only the server has the change that such a rule computes
     * from a push.
     *
     * <p>It costs 4 bytes per float for the copy, and the same for each outstanding round: S + 1 under {@code ssp:S},
     * at most 8, and 4 under {@code tap}. An update that is outstanding for longer is read when it returns. Each sync
     * copies the changed slices and adds the outstanding blocks.
     *
     * @param value true by default
     * @return this
     */
    public WorkerContext readMyWrites(boolean value) {
        readMyWrites = value;
        return this;
    }

    /** Whether the trainer reads its own updates before they return. */
    public boolean readMyWrites() {
        return readMyWrites;
    }

    /** Number of the worker's outstanding rounds of a table that the trainer reads; 0 for none. */
    int ownRoundsToRead(ClusterSettings terms, String table) {
        boolean sums = UpdateRules.SUM.equals(terms.table(table).rule());
        if (!readMyWrites || !sums || Protocol.UPDATE != terms.protocol()) {
            return 0;
        }
        int most = Policies.rule(terms).isBounded() ? MAX_OWN_ROUNDS : OWN_ROUNDS_OF_UNBOUNDED;
        return Math.min(most, Policies.rule(terms).ownRoundsAhead());
    }

    /**
     * Sets a listener for the measurements of each clock.
     *
     * @param listener called at the end of {@link Worker#clock()}, on its thread, with the same object in each call, so
     *     a listener that keeps figures copies them; an exception ends the job. By default there is none
     * @return this
     */
    public WorkerContext onClock(Consumer<ClockFigures> listener) {
        clockListener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /** The listener for the measurements of each clock; null for none. */
    Consumer<ClockFigures> clockListener() {
        return clockListener;
    }

    /**
     * Declares a term that all workers of the job must have in common and that is no term of Sluice, such as the
     * size of a batch or a hash of the data. The coordinator compares the terms of each worker that joins, at any
     * time, with the terms of the workers that have joined. A worker that differs in any name or value is refused:
     * its connection attempt ends with {@code Failure.REFUSED} and a sentence that names the term, both values and both
     * workers. All terms together take up to 4,096 bytes.
     *
     * @param name  one line of text without {@code =}
     * @param value one line of text
     * @return this
     * @throws IllegalArgumentException if the name is already declared, or the name or value is invalid or too long
     */
    public WorkerContext declare(String name, Object value) {
        declareTerm(name, String.valueOf(value));
        return this;
    }

    /**
     * Number of threads that filter large updates, the trainer's included. More than 1 pays off on cores that are idle
     * while the trainer pushes. The sent frames do not depend on the speed of the threads. With a filter that estimates
     * its threshold they depend on the number of threads, because each lane estimates from its own slices.
     *
     * @param value 1 to 64; 1 by default
     * @return this
     */
    public WorkerContext filterLanes(int value) {
        filterLanes = value;
        return this;
    }

    /** Number of threads that filter large updates. */
    public int filterLanes() {
        return filterLanes;
    }

    /**
     * Sets the thread that sends queued frames. The default, {@code null}, is a separate thread if the cluster has an
     * order or a budget, and otherwise the trainer's thread.
     *
     * @param mode {@code INVOKER}: the trainer's thread, in its calls to update, sync, clock and work, so between the
     *     calls nothing is sent; {@code SHARED}: the thread that sends heartbeats, which polls at least once in a
     *     millisecond; {@code DEDICATED}: a thread of its own; or null for the default
     * @return this
     */
    public WorkerContext sending(ThreadingMode mode) {
        sending = null == mode ? null : mode.configName();
        return this;
    }

    /**
     * The thread that sends.
     *
     * @param terms terms of the cluster
     * @return the chosen mode, or the default for these terms
     */
    public ThreadingMode sendingMode(ClusterSettings terms) {
        if (null != sending) {
            return Settings.constant("sluice.sending", sending, ThreadingMode.class);
        }
        return terms.queues() ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER;
    }

    /**
     * Sets the maximum number of data frames that may wait for each link, if frames are queued. The worker allocates
     * memory for that number of frames of the maximum length at the start.
     *
     * @param frames 2 to 16,384; {@value #DEFAULT_OUTBOX_FRAMES} by default
     * @return this
     */
    public WorkerContext outboxFrames(int frames) {
        outboxFrames = frames;
        return this;
    }

    /** Maximum number of data frames that may wait for each link. */
    public int outboxFrames() {
        return outboxFrames;
    }

    /** Number of cores for the trainer's thread and for threads that filter or send. */
    @Override
    protected int busyThreads() {
        return filterLanes + (ThreadingMode.DEDICATED.configName().equals(sending) ? 1 : 0);
    }

    /** Checks the number of cores again, now that terms and plan decide whether threads send and relay. */
    void requireCores(ClusterSettings terms, boolean relays) {
        requireCores(filterLanes + (ThreadingMode.DEDICATED == sendingMode(terms) ? 1 : 0) + (relays ? 1 : 0));
    }

    /**
     * Sets the bytes of broadcasts by which a child of this worker may be behind the others in each tree.
     *
     * @param bytes 64 KiB to 1 GiB, at least four of the longest frames; 16 MiB by default; rounded up to a power of
     *              two
     * @return this
     */
    public WorkerContext relayBytes(int bytes) {
        relayBytes = bytes;
        return this;
    }

    /** The bytes by which a child may be behind. */
    public int relayBytes() {
        return relayBytes;
    }

    @Override
    public void conclude() {
        Settings.inRange("filterLanes", filterLanes, 1, MAX_LANES);
        Settings.inRange("outboxFrames", outboxFrames, 2, MAX_OUTBOX_FRAMES);
        Settings.inRange("relayBytes", relayBytes, MIN_RELAY_BYTES, MAX_RELAY_BYTES);
        if (null != sending) {
            Settings.constant("sluice.sending", sending, ThreadingMode.class);
        }
        super.conclude();
    }
}
