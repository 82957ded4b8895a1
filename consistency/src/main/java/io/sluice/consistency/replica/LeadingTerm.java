package io.sluice.consistency.replica;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ControlNetwork;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.membership.Leadership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.DutyCycle;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemNanoClock;

/** The coordinator that a member runs while it leads. Used by the engine's service thread. */
final class LeadingTerm implements ReplicatedRecord.Term {
    private final CoordinatorContext context;
    private final Transport transport;
    private final String aeronDirectory;
    private EventLog events;
    private Coordinator coordinator;
    private DecisionOffers offers;
    private DutyCycle cycle;
    private long term;

    /**
     * Creates the term of a member that does not lead yet.
     *
     * @param context        context of this coordinator
     * @param transport      transport by which nodes are reached
     * @param aeronDirectory Aeron directory of the engine's media driver
     */
    LeadingTerm(CoordinatorContext context, Transport transport, String aeronDirectory) {
        this.context = context;
        this.transport = transport;
        this.aeronDirectory = aeronDirectory;
    }

    @Override
    public void begin(EventLog soFar, long newTerm) {
        events = soFar;
        term = newTerm;
        String terms = context.snapshots().terms(context.terms());
        ClusterState state = events.state();
        if (state.isComplete() && !state.job().terms().equals(terms)) {
            throw new ClusterException(
                    Failure.REFUSED,
                    "coordinator " + context.member() + " has other terms (" + terms
                            + ") than the job ("
                            + state.job().terms() + "), and cannot lead: give all coordinators the same");
        }
        cycle = transport.counters().agent("coordinator");
        offers = new DecisionOffers(aeronDirectory, term, SystemNanoClock.INSTANCE, context.errorHandler());
        coordinator = new Coordinator(
                ControlNetwork.over(transport),
                context.address(),
                context.terms(),
                ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE),
                context.snapshots(),
                context.waitLimitNs(),
                SystemNanoClock.INSTANCE,
                context.secret(),
                new Leadership(events, offers, term, context.member()));
        transport.report("leads the coordinators from now on, in term " + term
                + (state.isComplete() ? ", in epoch " + state.epoch() + " of the job" : ""));
    }

    @Override
    public void decided(Event event, long ofTerm, int number) {
        if (ofTerm == term) {
            offers.confirmed(number);
        }
        coordinator.decided(event);
    }

    @Override
    public boolean isOpen() {
        return null != coordinator;
    }

    @Override
    public int work() {
        cycle.begin(SystemNanoClock.INSTANCE.nanoTime());
        int work = coordinator.doWork() + offers.work();
        cycle.worked(work);
        return work;
    }

    @Override
    public void end() {
        if (isOpen()) {
            Coordinator ended = coordinator;
            coordinator = null;
            ended.onClose();
            CloseHelper.quietCloseAll(offers, cycle);
            transport.report("no longer leads the coordinators");
        }
    }
}
