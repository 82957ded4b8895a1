package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.messaging.Link;

/** What a node hears of changes of the crew, and says. For the membership's thread. */
final class CrewNews {
    private static final int NONE = 0;

    private final ClusterPlan plan;
    private final int node;
    private final CrewChanges changes;

    /** Of the poll that is to be answered, and the answer. */
    private int polled = NONE;

    private long answer;

    CrewNews(ClusterPlan plan, int node) {
        this.plan = plan;
        this.node = node;
        this.changes = new CrewChanges(plan.settings());
    }

    CrewChanges changes() {
        return changes;
    }

    /** Takes in what the coordinator says; false if it makes no sense. */
    boolean on(ChangeDecoder news) {
        boolean joins = 1 == news.joins();
        switch (ChangeStage.coded(news.stage())) {
            case POLLED -> {
                polled = news.number();
                answer = changes.answer(!joins && news.node() == node);
                return true;
            }
            case AGREED -> {
                changes.agreed(new CrewChange(news.clock(), plan.workerIndex(news.node()), joins));
                polled = NONE;
                return true;
            }
            case CALLED_OFF -> {
                changes.calledOff();
                polled = NONE;
                return true;
            }
            case null, default -> {
                return false;
            }
        }
    }

    /** Says what is to be said; returns the number of messages. */
    int tell(Link toCoordinator, ControlMessages messages) {
        int sent = 0;
        if (NONE != polled) {
            int length = messages.change(ChangeStage.ANSWERED, polled, node, false, answer);
            if (toCoordinator.offer(messages.buffer(), 0, length)) {
                polled = NONE;
                sent++;
            }
        }
        CrewChanges.Wish wish = changes.wish();
        if (null != wish) {
            int length = messages.change(ChangeStage.ASKED, 0, node, CrewChanges.Wish.JOIN == wish, 0);
            if (toCoordinator.offer(messages.buffer(), 0, length)) {
                changes.asked();
                sent++;
            }
        }
        return sent;
    }
}
