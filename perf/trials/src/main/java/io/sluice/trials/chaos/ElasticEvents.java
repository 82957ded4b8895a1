package io.sluice.trials.chaos;

import io.sluice.consistency.membership.Role;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Lets nodes join and leave a running job, as a {@link Disturbance} states. Does nothing if no place is free or no node
 * can be spared. Methods return while the node is still joining or leaving, so the next disturbance may hit it.
 */
final class ElasticEvents {
    private static final long POLL_MS = 10;

    /** Maximum time in which server 0 reports a join that was agreed before the newcomer was stopped. */
    private static final long SAY_MS = 1_000;

    /** Maximum time to wait until a newcomer's counters appear. */
    private static final long SEEN_NS = 20_000_000_000L;

    private final Cluster cluster;
    private final Tally tally;
    private final Consumer<String> log;

    ElasticEvents(Cluster cluster, Tally tally, Consumer<String> log) {
        this.cluster = cluster;
        this.tally = tally;
        this.log = log;
    }

    /** Starts a node in an empty place. */
    void join(Role role, Disturbance disturbance) throws IOException {
        OptionalInt place = cluster.places().vacant(role, disturbance);
        if (place.isEmpty()) {
            say(disturbance.kind(), "none: no place is free");
            return;
        }
        say(disturbance.kind(), cluster.startNewcomer(place.getAsInt()).name());
    }

    /** Requests a node to leave. */
    void leave(Role role, Disturbance disturbance) {
        OptionalInt leaver = cluster.places().dispensable(role, disturbance);
        if (leaver.isEmpty()) {
            say(disturbance.kind(), "none: no node can be spared");
            return;
        }
        say(disturbance.kind(), cluster.requestLeave(leaver.getAsInt()).name());
    }

    /**
     * Starts a server and kills it before it owns slices: after a random time, or as soon as its counters appear. The
     * server is stopped first, so that its join cannot complete while it is killed.
     */
    void killNewcomer(Disturbance disturbance) throws IOException, InterruptedException {
        OptionalInt place = cluster.places().vacant(Role.SERVER, disturbance);
        if (place.isEmpty()) {
            say(disturbance.kind(), "none: no place is free");
            return;
        }
        int node = place.getAsInt();
        ClusterProcess newcomer = cluster.startNewcomer(node);
        boolean seen = (disturbance.seed() & 1) == 0;
        long startNs = System.nanoTime();
        long waitNs = seen ? SEEN_NS : disturbance.durationMs() * 1_000_000;
        while (newcomer.isAlive() && System.nanoTime() - startNs < waitNs && !(seen && isSeen(newcomer))) {
            Thread.sleep(POLL_MS);
        }
        newcomer.stop();
        Thread.sleep(SAY_MS);
        if (cluster.places().isJoining(node) && newcomer.isAlive()) {
            say(disturbance.kind(), newcomer.name() + (seen ? ", once its counters appeared" : ", at a random time"));
            newcomer.kill();
            tally.onKill();
            cluster.places().killed(node);
        } else {
            newcomer.resume();
            say(disturbance.kind(), "none: " + newcomer.name() + " has already joined");
        }
    }

    private boolean isSeen(ClusterProcess node) {
        try (DriverView view = DriverView.open(cluster.site().driver(node.host()))) {
            return view.read().entries().stream().anyMatch(entry -> entry.node().equals(node.name()));
        } catch (MessagingException e) {
            return false; // its media driver has just ended
        }
    }

    private void say(Kind kind, String what) {
        log.accept(kind.configName() + ": " + what);
    }
}
