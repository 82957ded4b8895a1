package io.sluice.consistency.replica;

import io.aeron.exceptions.AeronEvent;
import io.aeron.exceptions.AeronException;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.MessagingException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;

/**
 * One of several coordinators. One of them leads while a majority runs. It keeps all decisions in its folder, from
 * which it continues after a restart.
 */
public final class CoordinatorMember implements AutoCloseable {
    private static final long LOOK_MS = 50;

    /** For which the others may still need this member to learn that all is over. */
    private static final long GOODBYE_MS = TimeUnit.SECONDS.toMillis(1);

    /** For which to go on without a leader at least. Nodes do without one for as long by default. */
    private static final long VACANT_NS = TimeUnit.MINUTES.toNanos(10);

    private final CoordinatorContext context;
    private final ReplicatedRecord record;
    private final Consensus consensus;
    private final Transport transport;
    private final Deque<AutoCloseable> resources;

    private CoordinatorMember(
            CoordinatorContext context,
            ReplicatedRecord record,
            Consensus consensus,
            Transport transport,
            Deque<AutoCloseable> resources) {
        this.context = context;
        this.consensus = consensus;
        this.record = record;
        this.transport = transport;
        this.resources = resources;
    }

    /**
     * Starts to coordinate, with the others.
     *
     * @param context address, folder and terms; concluded here
     * @return to be awaited, then closed
     * @throws IllegalArgumentException if the context holds a bad value
     * @throws MessagingException if the folder, an address or the media driver is not available
     */
    public static CoordinatorMember launch(CoordinatorContext context) {
        context.conclude();
        Deque<AutoCloseable> resources = new ArrayDeque<>();
        try {
            MemberFolder folder = MemberFolder.open(context.folder());
            resources.push(folder);
            Transport transport = context.connect();
            resources.push(transport);
            LeadingTerm leads =
                    new LeadingTerm(context, transport, folder.driver().toString());
            LogLimits limits = LogLimits.DEFAULT;
            ReplicatedRecord record = new ReplicatedRecord(context.member(), leads, limits);
            Consensus consensus = Consensus.join(
                    context.members(), context.member(), folder, limits, record, error -> tell(context, error));
            resources.push(consensus);
            return new CoordinatorMember(context, record, consensus, transport, resources);
        } catch (MessagingException | IllegalArgumentException e) {
            CloseHelper.quietCloseAll(resources);
            throw e;
        } catch (RuntimeException e) {
            CloseHelper.quietCloseAll(resources);
            throw new MessagingException(
                    "coordinator " + context.member() + " at " + context.address() + " cannot start: " + e.getMessage(),
                    e);
        }
    }

    /** What is usual where others die is a sentence; whatever else the engine reports, a fault. */
    private static void tell(CoordinatorContext context, Throwable error) {
        context.errorHandler()
                .onError(
                        error instanceof AeronEvent
                                ? new MessagingException("the engine of the coordinators says: " + error.getMessage())
                                : error);
    }

    /**
     * Coordinates until the job has ended.
     *
     * @throws InterruptedException if this thread is interrupted before
     * @throws MessagingException if the media driver for nodes has ended, or this coordinator cannot lead or keep the
     *     record, or there was no leader for longer than the job waits for dead nodes, and ten minutes
     */
    public void await() throws InterruptedException {
        int seen = 0;
        Patience patience = new Patience(
                "coordinator " + context.member(),
                Math.max(VACANT_NS, context.waitNs()),
                sentence -> tell(context, new MessagingException(sentence)),
                System.nanoTime());
        while (!record.isClosed()) {
            if (seen != record.snapshots()) {
                seen = record.snapshots();
                prune();
            }
            Thread.sleep(LOOK_MS);
            RuntimeException fault = record.fault();
            if (null != fault) {
                throw new MessagingException(fault.getMessage(), fault); // then another may lead
            }
            awaitLeader(patience, System.nanoTime());
            if (transport.isClosed()) {
                MessagingException cause = transport.failure();
                throw null == cause ? new MessagingException("the media driver has ended") : cause;
            }
        }
        Thread.sleep(GOODBYE_MS);
    }

    /** Elections end before the first report is due. */
    private void awaitLeader(Patience patience, long nowNs) {
        if (record.isLed()) {
            patience.begin(nowNs);
            return;
        }
        if (patience.isOver(nowNs)) {
            throw new MessagingException("coordinator " + context.member() + " has waited in vain for "
                    + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs)) + " s for " + leader());
        }
        if (patience.isTime(nowNs)) {
            patience.tell(leader(), nowNs);
        }
    }

    private String leader() {
        return "a leader of the coordinators at " + context.members() + ", of which "
                + (context.members().size() / 2 + 1) + " must be running and reach each other";
    }

    /** A disk that fills up is no reason to end. */
    private void prune() {
        try {
            consensus.prune();
        } catch (AeronException e) {
            tell(context, e);
        }
    }

    /** Ceases to coordinate; others may go on. */
    @Override
    public void close() {
        CloseHelper.quietCloseAll(resources);
        resources.clear();
    }
}
