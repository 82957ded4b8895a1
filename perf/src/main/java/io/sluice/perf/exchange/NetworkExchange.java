package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.cluster.LabCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One way to exchange updates, in a cluster of its own each turn. */
final class NetworkExchange {
    private final LabCluster cluster;
    private final ExchangeSettings settings;
    private final Protocol protocol;
    private final String tree;

    /**
     * Chooses a way.
     *
     * @param cluster  with the hosts
     * @param settings parameters, share kept and clocks
     * @param protocol what travels
     * @param tree     who passes broadcasts on to whom; of no meaning to push-pull
     */
    NetworkExchange(LabCluster cluster, ExchangeSettings settings, Protocol protocol, String tree) {
        this.cluster = cluster;
        this.settings = settings;
        this.protocol = protocol;
        this.tree = tree;
    }

    ExchangeSettings settings() {
        return settings;
    }

    Protocol protocol() {
        return protocol;
    }

    /** The tree's name; {@code none} where servers answer each worker. */
    String tree() {
        return Protocol.PUSH_PULL == protocol ? "none" : tree;
    }

    /**
     * Exchanges, clock by clock.
     *
     * @return the clocks that count
     * @throws io.sluice.perf.UnavailableException if a node fails
     */
    List<NetworkClock> turn() throws IOException, InterruptedException {
        ClusterSettings terms = cluster.star()
                .terms()
                .protocol(protocol)
                .tree(tree)
                .filter(Protocol.PUSH_PULL == protocol ? "none" : "dvf:" + ExchangeUpdates.DELTA)
                .build();
        NetworkExchangeTask task = new NetworkExchangeTask(settings, terms);
        LabCluster.Outcome<NetworkExchangeTask.Times> outcome =
                cluster.run(terms, task.outboxFrames(), settings.totalClocks(), task);
        List<NetworkClock> clocks = new ArrayList<>();
        for (int clock = settings.warmup(); clock < settings.totalClocks(); clock++) {
            clocks.add(NetworkClock.of(outcome.seen(), clock, outcome.costs().get(clock)));
        }
        return clocks;
    }
}
