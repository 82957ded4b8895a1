package io.sluice.consistency.replica;

import io.sluice.codecs.Libraries;
import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.messaging.api.MessagingException;

/**
 * One of several coordinators. One of them leads while a majority runs. It keeps all decisions in its folder, from
 * which it continues after a restart. It needs {@code io.aeron:aeron-cluster}, an optional dependency.
 */
public final class CoordinatorMember implements AutoCloseable {
    private final RunningMember running;

    private CoordinatorMember(RunningMember running) {
        this.running = running;
    }

    /**
     * Starts to coordinate together with the other members.
     *
     * @param context address, folder and terms; concluded here
     * @return the member, to be awaited, then closed
     * @throws IllegalArgumentException if the context holds a bad value
     * @throws MessagingException if the folder, an address or the media driver is not available
     * @throws MissingLibraryException if {@code aeron-cluster} is not on the class path
     */
    public static CoordinatorMember launch(CoordinatorContext context) {
        Libraries.require(
                "a member of several coordinators", "io.aeron:aeron-cluster", "io.aeron.cluster.ConsensusModule");
        context.conclude();
        return new CoordinatorMember(RunningMember.launch(context));
    }

    /**
     * Coordinates until the job has ended.
     *
     * @throws InterruptedException if this thread is interrupted during the wait
     * @throws MessagingException if the media driver for nodes has ended, or this coordinator cannot lead or keep the
     *     record, or there was no leader for longer than the job waits for dead nodes, and ten minutes
     */
    public void await() throws InterruptedException {
        running.await();
    }

    /** Ceases to coordinate; others may continue. */
    @Override
    public void close() {
        running.close();
    }
}
