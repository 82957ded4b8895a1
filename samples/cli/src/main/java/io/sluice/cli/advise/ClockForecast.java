package io.sluice.cli.advise;

import io.sluice.tree.planning.ClockEstimate;
import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import java.util.Collections;
import java.util.function.DoubleUnaryOperator;

/**
 * Predicts the time of a clock of a job under other setups: {@link ClockEstimate} with what the job itself shows.
 *
 * <p>If a measured clock takes longer than the model predicts, the forecast attributes the difference to the links, up
 * to a quarter of their time, since they carry headers and are not always full. The rest has other reasons, such as
 * slow workers. No change is expected to shorten it, and each step of computing has it. No prediction is below the time
 * of computing, or of the processors if their number is known.
 */
final class ClockForecast {
    /** Steps of a bisection: enough for a thousandth of a millionth. */
    static final int HALVINGS = 30;

    private static final double LATENCY = 50e-6;
    private static final double MOST_STRETCH = 1.25;

    private final JobFigures job;
    private final double stretch;
    private final double rest;

    /**
     * The measured load of the processors divided by the load that the figures give. The latter is too high if workers
     * share cores.
     */
    private final double load;

    /** Fits the model to the measured clock of a job, if there is one. */
    ClockForecast(JobFigures job) {
        this.job = job;
        Double clock = job.clockSeconds();
        if (clock == null) {
            stretch = 1;
            rest = 0;
            load = 1;
            return;
        }
        ClockEstimate links = links(job.setup());
        DoubleUnaryOperator model = factor -> model(job.setup(), links.times(factor));
        stretch = stretch(model, clock, job.sharesMemory() ? 1 : MOST_STRETCH);
        rest = Math.max(0, clock - model.applyAsDouble(stretch));
        double needed = neededSeconds(job.setup());
        load = needed > clock ? clock / needed : 1;
    }

    /**
     * The factor nearest to 1 with which the model takes the measured time. Where the clock does not depend on the
     * links, as with staleness that hides them, this is 1.
     */
    private static double stretch(DoubleUnaryOperator model, double clock, double most) {
        double alone = model.applyAsDouble(1);
        boolean slower = clock > alone;
        double target = slower ? Math.min(clock, model.applyAsDouble(most)) : clock;
        double low = slower ? 1 : 0;
        double high = slower ? most : 1;
        if (slower ? target <= alone : target >= alone) {
            return 1;
        }
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            double seconds = model.applyAsDouble(middle);
            if (slower ? seconds < target : seconds <= target) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return slower ? high : low;
    }

    /** Predicted seconds of a step of computing, with its share of a clock. */
    double seconds(Setup setup) {
        return with(setup, messages(setup));
    }

    /** Predicted seconds of a step if messages took other times. */
    double with(Setup setup, ClockEstimate messages) {
        return Math.max(model(setup, messages) / setup.steps() + rest, processorSeconds(setup) / setup.steps());
    }

    /** Estimates the time of pushes and broadcasts. */
    ClockEstimate messages(Setup setup) {
        return links(setup).times(stretch);
    }

    /** Estimates the shortest possible time of pushes and broadcasts, over all trees. */
    ClockEstimate leastMessages(Setup setup) {
        double least = stretch * LowerBound.of(network(setup)).seconds();
        return new ClockEstimate(least, least, 0);
    }

    /**
     * The measured time that the forecast attributes to messages, divided by the time that the model predicts for them.
     */
    double stretch() {
        return stretch;
    }

    /** Seconds of a clock that neither computing nor messages explain. */
    double restSeconds() {
        return rest;
    }

    /** Seconds for which a clock keeps all processors busy; 0 if their number is unknown. */
    double processorSeconds(Setup setup) {
        return load * neededSeconds(setup);
    }

    /** The name of the fastest trees. */
    String fastestTree(Setup setup) {
        return TreePlanners.named("auto").plan(network(setup).withPushes()).strategy();
    }

    private double neededSeconds(Setup setup) {
        if (job.cores() == null) {
            return 0;
        }
        double copies = job.byteSeconds() * (pushed(setup) + received(setup));
        return job.workers() * (busy(setup) + copies) / job.cores();
    }

    private double busy(Setup setup) {
        double filtering = setup.kept() < 1 && !job.filters() ? Levers.FILTER_SECONDS * job.parameters() : 0;
        return setup.steps() * job.computeSeconds() + job.pushSeconds() + filtering;
    }

    private double model(Setup setup, ClockEstimate messages) {
        double part = busy(setup) / setup.layers();
        boolean whole = setup.isPull() || job.sharesMemory();
        long slices = Math.ceilDiv(job.parameters(), (long) setup.slice() * job.servers() * setup.layers());
        ClockEstimate.Layer layer = new ClockEstimate.Layer(
                ClockEstimate.FORWARD * part,
                (1 - ClockEstimate.FORWARD) * part,
                1.0 / setup.layers(),
                whole ? 1 : Math.clamp(slices, 1, Integer.MAX_VALUE));
        return messages.seconds(
                Collections.nCopies(setup.layers(), layer), "layer".equals(setup.order()), setup.staleness());
    }

    private ClockEstimate links(Setup setup) {
        if (job.sharesMemory()) {
            double each = job.workers() * job.byteSeconds();
            return new ClockEstimate(each * pushed(setup), each * received(setup), 0);
        }
        return ClockEstimate.of(network(setup), TreePlanners.named(setup.isPull() ? "flat" : setup.tree()));
    }

    private BroadcastJob network(Setup setup) {
        return ClockEstimate.atOneSwitch(
                job.servers(),
                job.workers(),
                ClockEstimate.USED * job.linkRate() / Byte.SIZE,
                LATENCY,
                received(setup),
                pushed(setup),
                setup.frameBytes((int) Math.min(setup.slice(), job.parameters()), setup.broadcastKept()));
    }

    private double pushed(Setup setup) {
        Setup own = job.setup();
        return job.pushedBytes()
                * setup.bytes(job.parameters(), setup.kept())
                / own.bytes(job.parameters(), own.kept());
    }

    private double received(Setup setup) {
        Setup own = job.setup();
        return job.receivedBytes()
                * setup.bytes(job.parameters(), setup.broadcastKept())
                / own.bytes(job.parameters(), own.broadcastKept());
    }
}
