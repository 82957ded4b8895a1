package io.sluice.perf.cluster;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Phaser;

/** A reusable barrier for the threads of a measurement. */
public final class Rendezvous {
    private final Phaser phaser;

    Rendezvous(int parties) {
        phaser = new Phaser(parties);
    }

    /**
     * Waits until all threads have arrived.
     *
     * @throws CancellationException if a node has failed, and will not arrive
     */
    public void await() throws InterruptedException {
        int phase = phaser.arrive();
        if (phase < 0 || phaser.awaitAdvanceInterruptibly(phase) < 0) {
            throw new CancellationException("another node has failed");
        }
    }

    /** Releases all threads that wait now or later, with an exception. */
    void abandon() {
        phaser.forceTermination();
    }
}
