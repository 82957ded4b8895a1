package io.sluice.consistency;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;

/**
 * A clock that stops a node in a thread as a signal stops a process: each of its threads that reads the time waits
 * until the node continues. So the node sends no heartbeats, and appears dead.
 */
public final class StoppableClock implements NanoClock {
    private static final long PARK_NS = 100_000;

    private volatile boolean stopped;
    private volatile String faulty = "";
    private volatile Thread counting;
    private int readings;

    /** Stops the node's threads, each when it next reads the time. */
    public void stop() {
        stopped = true;
    }

    /** Stops the node's threads when the calling thread reads the time once more after a number of times. */
    public void stopAfter(int times) {
        readings = times;
        counting = Thread.currentThread();
    }

    /** Lets the node continue. */
    public void resume() {
        stopped = false;
    }

    /** Lets the thread of a role fail once, by a fault of its own. */
    public void fail(String role) {
        faulty = role;
    }

    @Override
    public long nanoTime() {
        if (Thread.currentThread() == counting && 0 == readings--) {
            stopped = true;
        }
        while (stopped) {
            LockSupport.parkNanos(PARK_NS);
        }
        if (Thread.currentThread().getName().equals(faulty)) {
            faulty = "";
            throw new IllegalStateException("a fault for the test");
        }
        return System.nanoTime();
    }
}
