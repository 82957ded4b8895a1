package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.api.MessagingException;

/**
 * The state that the calls of a worker and of its tables share: the owning thread, the clock, the weight of pushes, and
 * the handling of exceptions.
 */
final class TrainerCalls {
    private final Membership membership;
    private final Thread owner = Thread.currentThread();
    private long clock;
    private int weight = 1;
    private boolean begun; // set when a start begins; if it fails, only another start is allowed
    private boolean started;
    private boolean closed;
    private Throwable thrown;

    /** The exception of a call that must not be repeated, because it took effect in part; null for none. */
    private ClusterException halfDone;

    TrainerCalls(Membership membership) {
        this.membership = membership;
    }

    /** Number of iterations completed. */
    long clock() {
        return clock;
    }

    /** The weight of this worker's pushes. */
    int weight() {
        return weight;
    }

    void weigh(int value) {
        weight = value;
    }

    /** Starts the iteration after a clock, in which no call has thrown yet. */
    void continueAfter(long completed) {
        clock = completed;
        thrown = null;
        membership.progress(completed);
    }

    void begin() {
        begun = true;
    }

    boolean hasBegun() {
        return begun;
    }

    void start() {
        started = true;
    }

    boolean hasStarted() {
        return started;
    }

    /** The last exception that a call of this iteration has thrown; null for none. */
    Throwable thrown() {
        return thrown;
    }

    /** Whether the worker was open until now. */
    boolean close() {
        if (owner.isAlive()) {
            requireOwner("close()");
        }
        boolean wasOpen = !closed;
        closed = true;
        return wasOpen;
    }

    /** Requires the owning thread, because a call of another thread could read or leave an inconsistent state. */
    void requireOwner(String call) {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException(
                    membership.plan().nameOf(membership.node()) + " belongs to the thread " + owner.getName()
                            + ", and the thread " + Thread.currentThread().getName() + " calls " + call
                            + ": only the owning thread may use a worker and its tables");
        }
    }

    void requireStarted(String call) {
        requireOwner(call);
        if (closed) {
            throw new IllegalStateException("the worker is closed");
        }
        if (!started) {
            throw mistake(new IllegalStateException(
                    begun
                            ? "the start of the worker has not succeeded"
                            : "the worker has not been started, expected start() first"));
        }
        if (null != halfDone) {
            membership.check();
            throw new ClusterException(
                    halfDone.failure(),
                    membership.plan().nameOf(membership.node())
                            + " cannot continue after a call that did not complete: " + halfDone.getMessage(),
                    halfDone);
        }
    }

    /** Keeps an exception that had no effect, as the cause if the trainer ends because of it. */
    <E extends RuntimeException> E mistake(E e) {
        thrown = e;
        return e;
    }

    /** Reports an exception of a call that can be repeated to the cluster; returns the exception to throw. */
    RuntimeException failed(Throwable e) {
        return failed(e, membership.failed(e));
    }

    /** Whether a push or the end of a clock did not complete, so that this worker cannot have completed. */
    boolean isHalfDone() {
        return null != halfDone;
    }

    /**
     * Reports an exception that leaves a push or the end of a clock half done; later calls are refused, even after an
     * interrupt, which ends no cluster. Returns the exception to throw.
     */
    RuntimeException failedHalfDone(Throwable e) {
        halfDone = membership.failed(e);
        return failed(e, halfDone);
    }

    private RuntimeException failed(Throwable e, ClusterException failure) {
        thrown = e;
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof MessagingException ? failure : (RuntimeException) e;
    }
}
