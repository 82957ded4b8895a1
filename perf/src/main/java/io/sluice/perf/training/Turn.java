package io.sluice.perf.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Way;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * One training of a model by all workers of a cluster, of which worker 0 keeps the parameters at some clocks.
 *
 * @param stepNs least time that the computation of a step takes
 * @param every  clocks between two evaluations of the objective; the last clock has one, too
 * @param sent   supplies the bytes that all nodes have sent so far
 * @param truth  measures the distance of the parameters; {@code null} for none
 * @param copies memory of the copies of parameters
 */
record Turn(
        Job job, Way way, int clocks, long stepNs, int every, LongSupplier sent, TrueParameters truth, Arena copies) {
    /**
     * What a worker has at the end.
     *
     * @param replicas parameters at each evaluation, as the trainer read them; empty except at worker 0
     * @param sent     by number of clocks before, the bytes that all nodes have sent, without the first parameters; 0
     *     except at worker 0
     */
    record Seen(Course course, List<MemorySegment> replicas, double[] sent, double offered, double kept) {}

    /** The numbers of clocks before each evaluation of a training. */
    static double[] looks(int clocks, int every) {
        return IntStream.rangeClosed(0, clocks)
                .filter(before -> before % every == 0 || before == clocks)
                .asDoubleStream()
                .toArray();
    }

    /** Trains as one of the workers, which wait for each other once all have the first parameters. */
    Seen train(Worker worker, Rendezvous together) {
        Job.Training training = job.declaration().declare(worker, clocks, way.localSteps());
        List<MemorySegment> replicas = new ArrayList<>();
        double[] bytes = new double[clocks + 1];
        Course course = new Course(worker, clocks, stepNs * way.localSteps(), before -> {
            if (before == 0) {
                meet(together);
            }
            if (worker.index() == 0) {
                look(worker, training, before, replicas, bytes);
            }
        });
        if (truth != null) {
            course.watch(truth::onUpdate);
        }
        training.train().accept(course);
        course.end();
        if (worker.index() == 0) {
            look(worker, training, clocks, replicas, bytes);
        }
        for (int before = clocks; before >= 0; before--) {
            bytes[before] -= bytes[0];
        }
        return new Seen(
                course,
                replicas,
                bytes,
                worker.stats().elementsOffered(),
                worker.stats().elementsKept());
    }

    private static void meet(Rendezvous together) {
        try {
            together.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted before the first clock");
        }
    }

    private void look(Worker worker, Job.Training training, int before, List<MemorySegment> replicas, double[] bytes) {
        bytes[before] = sent.getAsLong();
        if (truth != null) {
            truth.onThreshold(worker.stats().lastThreshold());
        }
        if (before % every == 0 || before == clocks) {
            MemorySegment replica = parameters(training.tables());
            replicas.add(replica);
            if (truth != null) {
                truth.onReplica(before, replica);
            }
        }
    }

    private MemorySegment parameters(List<Table> tables) {
        MemorySegment all = copies.allocate(JAVA_FLOAT, job.parameters());
        long at = 0;
        for (Table table : tables) {
            MemorySegment own = table.view().segment();
            MemorySegment.copy(own, 0, all, at, own.byteSize());
            at += own.byteSize();
        }
        return all;
    }
}
