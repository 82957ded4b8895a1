package io.sluice.cli.advise;

import io.sluice.tree.planning.ClockEstimate;
import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import java.util.Collections;

/**
 * Predicts the clock of a job under other setups: {@link ClockEstimate} with what the job itself shows.
 *
 * <p>What a measured clock takes beyond the model is put down to the links up to a quarter of their time, since they
 * carry headers and are not always full. The rest has other reasons, such as slow workers or busy processors. No change
 * of the messages is expected to shorten it.
 */
final class ClockForecast {
    private static final double LATENCY = 50e-6;
    private static final double MOST_STRETCH = 1.25;

    private final JobFigures job;
    private final double stretch;
    private final double rest;

    /** Fits the model to the measured clock of a job, if there is one. */
    ClockForecast(JobFigures job) {
        this.job = job;
        ClockEstimate links = links(job.setup());
        double exchange = model(job.setup(), links) - busy(job.setup());
        if (job.clockSeconds() == null || exchange <= 0) {
            stretch = 1;
        } else {
            stretch = Math.min(job.sharesMemory() ? 1 : MOST_STRETCH, job.exchangeSeconds() / exchange);
        }
        rest = job.clockSeconds() == null ? 0 : job.clockSeconds() - model(job.setup(), links.times(stretch));
    }

    /** Predicted seconds of a step of computing, with its share of a clock. */
    double seconds(Setup setup) {
        return with(setup, messages(setup));
    }

    /** Predicted seconds of a step if messages took other times. */
    double with(Setup setup, ClockEstimate messages) {
        return (model(setup, messages) + rest) / setup.steps();
    }

    /** What pushes and broadcasts take. */
    ClockEstimate messages(Setup setup) {
        return links(setup).times(stretch);
    }

    /** What they take at least, with any trees. */
    ClockEstimate leastMessages(Setup setup) {
        double least = stretch * LowerBound.of(network(setup)).seconds();
        return new ClockEstimate(least, least, 0);
    }

    /** The time that messages took, as far as it is put down to them, over that of the model. */
    double stretch() {
        return stretch;
    }

    /** Seconds of a clock that neither computing nor messages explain. */
    double restSeconds() {
        return rest;
    }

    /** The name of the fastest trees. */
    String fastestTree(Setup setup) {
        return TreePlanners.named("auto").plan(network(setup).withPushes()).strategy();
    }

    private double busy(Setup setup) {
        return setup.steps() * job.computeSeconds() + job.pushSeconds();
    }

    private double model(Setup setup, ClockEstimate messages) {
        double part = busy(setup) / setup.layers();
        boolean whole = setup.pull() || job.sharesMemory();
        long slices = Math.ceilDiv(job.parameters(), (long) setup.slice() * job.servers() * setup.layers());
        ClockEstimate.Layer layer = new ClockEstimate.Layer(
                ClockEstimate.FORWARD * part,
                (1 - ClockEstimate.FORWARD) * part,
                1.0 / setup.layers(),
                whole ? 1 : (int) slices);
        return messages.seconds(Collections.nCopies(setup.layers(), layer), setup.byLayer(), setup.staleness());
    }

    private ClockEstimate links(Setup setup) {
        if (job.sharesMemory()) {
            double seconds = job.workers() * job.byteSeconds() * change(setup);
            return new ClockEstimate(seconds * job.pushedBytes(), seconds * job.receivedBytes(), 0);
        }
        return ClockEstimate.of(network(setup), TreePlanners.named(setup.pull() ? "flat" : setup.tree()));
    }

    private BroadcastJob network(Setup setup) {
        double change = change(setup);
        return ClockEstimate.atOneSwitch(
                job.servers(),
                job.workers(),
                ClockEstimate.USED * job.linkRate() / Byte.SIZE,
                LATENCY,
                change * job.receivedBytes(),
                change * job.pushedBytes(),
                setup.frameBytes((int) Math.min(setup.slice(), job.parameters())));
    }

    /** Bytes under a setup over bytes of the job. */
    private double change(Setup setup) {
        return setup.bytes(job.parameters()) / job.setup().bytes(job.parameters());
    }
}
