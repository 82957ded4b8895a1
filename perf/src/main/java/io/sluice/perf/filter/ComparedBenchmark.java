package io.sluice.perf.filter;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.OffHeapTable;
import java.util.List;

/**
 * A benchmark that alternates with others on one table.
 *
 * @param table  memory of all of them
 * @param own    the benchmark
 * @param others those that it is compared with; they leave the residual as it does, or unchanged
 */
record ComparedBenchmark(OffHeapTable table, Benchmark own, List<Benchmark> others) implements Benchmark {
    @Override
    public void pass(Tally tally) {
        own.pass(tally);
    }

    @Override
    public void move() {
        table.move();
    }

    @Override
    public void close() {
        table.close();
    }
}
