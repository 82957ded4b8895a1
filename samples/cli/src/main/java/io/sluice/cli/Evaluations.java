package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The quality of the model by clock, as a worker reports it. A clock that is trained again after a failure counts once.
 * Safe from any thread.
 */
final class Evaluations implements Consumer<NodeEvent> {
    private final NavigableMap<Integer, NodeEvent.Evaluated> byClock = new TreeMap<>();

    @Override
    public synchronized void accept(NodeEvent event) {
        if (event instanceof NodeEvent.Evaluated evaluated) {
            byClock.put(evaluated.clock(), evaluated);
        }
    }

    /** Whether there are no evaluations. */
    synchronized boolean isEmpty() {
        return byClock.isEmpty();
    }

    /** A figure at the last clock that was evaluated; NaN if there is none. */
    synchronized double last(String figure) {
        return byClock.isEmpty()
                ? Double.NaN
                : byClock.lastEntry().getValue().figures().getOrDefault(figure, Double.NaN);
    }

    /** A figure at a clock; null if it was not evaluated. */
    private synchronized Double at(int clock, String figure) {
        NodeEvent.Evaluated evaluated = byClock.get(clock);
        return evaluated == null ? null : evaluated.figures().get(figure);
    }

    /** A figure after each of some passes; null after the passes of an earlier job that this job continues. */
    List<Double> byPass(String figure, int passes, int clocksPerPass) {
        return IntStream.rangeClosed(1, passes)
                .mapToObj(pass -> at(pass * clocksPerPass, figure))
                .toList();
    }

    /** Whether the last evaluation is from this worker. */
    synchronized boolean areBy(int worker) {
        return !byClock.isEmpty() && byClock.lastEntry().getValue().worker() == worker;
    }
}
