package io.sluice.consistency.worker;

import io.sluice.consistency.terms.ClusterException;
import org.agrona.concurrent.IdleStrategy;

/** One of the trainer threads of a {@link RowClient}, for this thread alone. */
public final class RowThread {
    private final RowClient client;
    private final int index;
    private final IdleStrategy idle;

    /** The numbers of the slices of a row while it is read. */
    private final int[] numbers;

    private volatile long clock;
    private volatile boolean waits;
    private volatile boolean hasEnded;

    RowThread(RowClient client, int index, long clock, int slicesOfRow, IdleStrategy idle) {
        this.client = client;
        this.index = index;
        this.clock = clock;
        this.numbers = new int[slicesOfRow];
        this.idle = idle;
    }

    /**
     * Number of the thread in its client, by which it may choose its part of the data.
     *
     * @return from 0 to the number of threads
     */
    public int index() {
        return index;
    }

    /**
     * Number of iterations that this thread has completed.
     *
     * @return the clock of the thread; at the start the clock of the worker
     */
    public long completed() {
        return clock;
    }

    /**
     * Ends an iteration of this thread. The iteration of the worker ends with that of its slowest thread. Under
     * {@code bsp} this waits until all threads have called it.
     *
     * @throws java.util.concurrent.CancellationException if the cluster or another thread fails meanwhile
     * @throws ClusterException if the thread is interrupted while it waits
     */
    public void clock() {
        client.requireSound();
        long ended = clock + 1;
        clock = ended;
        if (client.isBarrier(ended) && client.pushed() < ended) {
            begin();
            while (client.pushed() < ended) {
                idle();
            }
            waits = false;
        }
    }

    /** Waits until a table is as fresh as the consistency rule demands. */
    void awaitVersion(RowTable table) {
        client.requireSound();
        long required = client.requiredVersion(clock);
        if (table.version() < required) {
            begin();
            while (table.version() < required) {
                idle();
            }
            waits = false;
        }
    }

    private void begin() {
        idle.reset();
        waits = true;
    }

    /** Waits a little, unless the client has failed. */
    void idle() {
        client.requireSound();
        ClusterException.checkInterrupt("waiting for the other threads of the process");
        idle.idle();
    }

    int[] numbers() {
        return numbers;
    }

    boolean waits() {
        return waits;
    }

    void end() {
        hasEnded = true;
    }

    boolean hasEnded() {
        return hasEnded;
    }
}
