package io.sluice.consistency.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;

/** A node's time: the test can stop it for all threads of the node, as a signal does, or for its relay for a while. */
final class NodeClock implements NanoClock {
    private volatile boolean stopped;
    private boolean wasStopped;
    private volatile long relayStandsUntilNs = System.nanoTime();

    @Override
    public long nanoTime() {
        boolean relay = Thread.currentThread().getName().startsWith("sluice-relay");
        while (stopped || relay && System.nanoTime() - relayStandsUntilNs < 0) {
            LockSupport.parkNanos(100_000);
        }
        return System.nanoTime();
    }

    /** Stops the clock, once only: a node that continues later, to learn that it is lost, must reach its end. */
    void stop() {
        stopped = !wasStopped;
        wasStopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    void resume() {
        stopped = false;
    }

    void standRelay(long ms) {
        relayStandsUntilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
