package io.sluice.trials.chaos;

import io.sluice.consistency.terms.Role;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Has nodes come into a job and go from it while it runs, as a {@link Disturbance} says, or not if there is no place
 * for one more, or nobody can be spared. They are on their way when it returns: what comes next meets them there.
 */
final class Passages {
    private static final long POLL_MS = 10;

    /** For server 0 to say what it had settled before a newcomer stood. */
    private static final long SAY_MS = 1_000;

    /** For a newcomer to be seen. */
    private static final long SEEN_NS = 20_000_000_000L;

    private final Cluster cluster;
    private final Tally tally;
    private final Consumer<String> log;

    Passages(Cluster cluster, Tally tally, Consumer<String> log) {
        this.cluster = cluster;
        this.tally = tally;
        this.log = log;
    }

    /** Starts a node in an empty place. */
    void come(Role role, Disturbance disturbance) throws IOException {
        OptionalInt place = cluster.places().vacant(role, disturbance);
        if (place.isEmpty()) {
            say(disturbance.kind(), "nobody, for all places are taken");
            return;
        }
        say(disturbance.kind(), cluster.startNewcomer(place.getAsInt()).name());
    }

    /** Asks a node to go. */
    void go(Role role, Disturbance disturbance) {
        OptionalInt leaver = cluster.places().dispensable(role, disturbance);
        if (leaver.isEmpty()) {
            say(disturbance.kind(), "nobody, for none can be spared");
            return;
        }
        say(disturbance.kind(), cluster.askToGo(leaver.getAsInt()).name());
    }

    /**
     * Starts a server, and kills it before it is needed: some time after its start, or as soon as it is to be seen
     * among the nodes. It stands first, so that it cannot become one that is needed while it is killed.
     */
    void killNewcomer(Disturbance disturbance) throws IOException, InterruptedException {
        OptionalInt place = cluster.places().vacant(Role.SERVER, disturbance);
        if (place.isEmpty()) {
            say(disturbance.kind(), "nobody, for all places are taken");
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
        if (cluster.places().isComing(node) && newcomer.isAlive()) {
            say(disturbance.kind(), newcomer.name() + (seen ? ", which was seen" : ", early"));
            newcomer.kill();
            tally.onKill();
            cluster.places().killed(node);
        } else {
            newcomer.goOn();
            say(disturbance.kind(), "nobody, for " + newcomer.name() + " was faster");
        }
    }

    private boolean isSeen(ClusterProcess node) {
        try (DriverView view = DriverView.open(cluster.site().driver(node.host()))) {
            return view.read().entries().stream().anyMatch(entry -> entry.node().equals(node.name()));
        } catch (MessagingException e) {
            return false; // its media driver has ended this moment
        }
    }

    private void say(Kind kind, String what) {
        log.accept(kind.configName() + ": " + what);
    }
}
