package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.tree.Place;
import java.util.function.Consumer;

/** What a node hears of changes of the crew, and says. For the membership's thread. */
final class CrewNews {
    private static final int NONE = 0;

    private final ClusterPlan plan;
    private final int node;
    private final CrewChanges changes;
    private final Consumer<String> report;

    /** Of the poll that is to be answered, and the answer. */
    private int polled = NONE;

    private long answer;
    private long toldPassed;
    private boolean toldOfRefusal;

    /** Whether it was agreed that this server, which has come while the job runs, owns slices: then it is needed. */
    private boolean hasOwned;

    /**
     * News of a cluster that has just been joined.
     *
     * @param plan   of the cluster
     * @param node   this node
     * @param report is told once of what is refused
     */
    CrewNews(ClusterPlan plan, int node, Consumer<String> report) {
        this.report = report;
        this.plan = plan;
        this.node = node;
        this.changes = new CrewChanges(plan.settings());
    }

    CrewChanges changes() {
        return changes;
    }

    /** Takes in what the coordinator says; false if it makes no sense: then nothing has changed. */
    boolean on(ChangeDecoder news) {
        boolean taken = take(news);
        if (!taken && !toldOfRefusal) {
            toldOfRefusal = true;
            report.accept(refusal(news, changes.history()));
        }
        return taken;
    }

    /** What is said of news that make no sense. */
    static String refusal(ChangeDecoder news, CrewHistory history) {
        return "a change of the crew was refused, for it cannot be: stage " + news.stage() + ", number "
                + news.number() + ", node " + news.node() + ", joins " + news.joins() + ", clock " + news.clock()
                + ", behind " + history.last() + "; more of these are counted, but not told";
    }

    private boolean take(ChangeDecoder news) {
        NodeIds ids = plan.settings().nodeIds();
        boolean isServer = ids.isServer(news.node());
        if (news.node() >= ids.count() || news.joins() > 1) {
            return false;
        }
        boolean joins = 1 == news.joins();
        switch (ChangeStage.coded(news.stage())) {
            case POLLED -> {
                if (news.number() <= NONE) {
                    return false;
                }
                polled = news.number();
                answer = changes.answer(!joins && !isServer && news.node() == node);
                return true;
            }
            case AGREED -> {
                String endpoint = news.endpoint(); // texts must be read in their order
                Place place = new Place(news.node(), news.host(), endpoint);
                boolean fits = changes.agreed(
                        new CrewChange(news.clock(), ids.role(news.node()), ids.index(news.node()), joins, place));
                polled = fits ? NONE : polled;
                boolean asked = news.node() == node && changes.hasAskedToJoin(); // else it is about one before
                hasOwned |= fits && joins && asked;
                return fits;
            }
            case CALLED_OFF -> {
                changes.calledOff();
                polled = NONE;
                return true;
            }
            case PASSED -> {
                boolean mine =
                        news.node() == node && isServer && !changes.history().owns(node);
                if (mine) {
                    changes.release();
                }
                return mine;
            }
            case null, default -> {
                return false;
            }
        }
    }

    /** A server has left, or is lost; returns whether the others go on without it, for it owns nothing. */
    boolean onServerLeft(int server) {
        return changes.gone(server);
    }

    /** A node has come: if it is a server, it can be sent to. */
    void onArrived(int arrival) {
        if (plan.workerIndex(arrival) < 0) {
            changes.arrived(arrival);
        }
    }

    /** Says what is to be said; returns the number of messages. */
    int tell(CoordinatorLine coordinator, ControlMessages messages) {
        int sent = 0;
        if (NONE != polled) {
            int length = messages.change(ChangeStage.ANSWERED, polled, node, false, answer);
            if (coordinator.offer(messages, length)) {
                polled = NONE;
                sent++;
            }
        }
        CrewChanges.Wish wish = changes.wish();
        if (null != wish) {
            int length = messages.change(ChangeStage.ASKED, 0, node, CrewChanges.Wish.JOIN == wish, 0);
            if (coordinator.offer(messages, length)) {
                changes.asked(wish);
                sent++;
            }
        }
        return sent + tellOfPassing(coordinator, messages) + tellOfRefusal(coordinator, messages);
    }

    private int tellOfPassing(CoordinatorLine coordinator, ControlMessages messages) {
        long passed = changes.passed();
        if (passed == toldPassed
                || !coordinator.offer(messages, messages.change(ChangeStage.PASSED, 0, node, false, passed))) {
            return 0;
        }
        toldPassed = passed;
        return 1;
    }

    private int tellOfRefusal(CoordinatorLine coordinator, ControlMessages messages) {
        CrewChanges.Refusal refusal = changes.refusal();
        if (null == refusal
                || !coordinator.offer(
                        messages, messages.error(Failure.REFUSED, refusal.nonce(), refusal.node(), refusal.reason()))) {
            return 0;
        }
        changes.refused();
        return 1;
    }

    /** Whether this node has come while the job runs and nobody needs it yet: its failure is nobody else's. */
    boolean isArriving() {
        boolean isServer = plan.workerIndex(node) < 0;
        return plan.isOfNewcomer() && (isServer ? !hasOwned : changes.isBefore());
    }
}
