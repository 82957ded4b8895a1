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
 * A running coordinator. Linking it loads classes of {@code aeron-cluster}. Linking {@link CoordinatorMember} loads
 * none, so that it can name the missing artifact.
 */
final class RunningMember implements AutoCloseable {
    private static final long LOOK_MS = 50;

    /** Time for which this member stays after the end of the job, so that the others receive the end. */
    private static final long SHUTDOWN_MS = TimeUnit.SECONDS.toMillis(1);

    /** Minimum time that a member waits for a leader, the default wait of nodes. */
    private static final long VACANT_NS = TimeUnit.MINUTES.toNanos(10);

    private final CoordinatorContext context;
    private final ReplicatedRecord record;
    private final Consensus consensus;
    private final Transport transport;
    private final Deque<AutoCloseable> resources;

    private RunningMember(
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

    /** Starts a member. The context has been concluded. */
    static RunningMember launch(CoordinatorContext context) {
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
            return new RunningMember(context, record, consensus, transport, resources);
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

    /**
     * Reports an event of the engine, such as the loss of another member, as a sentence, and anything else as an error.
     */
    private static void tell(CoordinatorContext context, Throwable error) {
        context.errorHandler()
                .onError(
                        error instanceof AeronEvent
                                ? new MessagingException(
                                        "the consensus of the coordinators reports: " + error.getMessage())
                                : error);
    }

    /** Returns when the job has ended. */
    void await() throws InterruptedException {
        int seen = 0;
        Patience patience = new Patience(
                "coordinator " + context.member(),
                Math.max(VACANT_NS, context.waitLimitNs()),
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
                // ends this member, so that another one can become the leader
                throw new MessagingException(fault.getMessage(), fault);
            }
            awaitLeader(patience, System.nanoTime());
            if (transport.isClosed()) {
                MessagingException cause = transport.failure();
                throw null == cause ? new MessagingException("the media driver has ended") : cause;
            }
        }
        Thread.sleep(SHUTDOWN_MS);
    }

    /** Reports that there is no leader, then fails. An election ends before the first report is due. */
    private void awaitLeader(Patience patience, long nowNs) {
        if (record.isLed()) {
            patience.begin(nowNs);
            return;
        }
        if (patience.isOver(nowNs)) {
            throw new MessagingException("coordinator " + context.member() + " has waited without success for "
                    + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs)) + " s for " + leader());
        }
        if (patience.isTime(nowNs)) {
            patience.report(leader(), nowNs);
        }
    }

    private String leader() {
        return "a leader of the coordinators at " + context.members() + ", of which "
                + (context.members().size() / 2 + 1) + " must be running and able to reach each other";
    }

    /** A member whose log cannot be pruned reports that and continues. */
    private void prune() {
        try {
            consensus.prune();
        } catch (AeronException e) {
            tell(context, e);
        }
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(resources);
        resources.clear();
    }
}
