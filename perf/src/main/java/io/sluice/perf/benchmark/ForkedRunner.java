package io.sluice.perf.benchmark;

import io.sluice.perf.nodes.NodeProcess;
import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the benchmarks of a group in a JVM of their own. */
final class ForkedRunner implements Runner {
    private static final long HEAP_BASE_MIB = 128;
    private static final int MIB_BITS = 20;

    /** Longest time to fill tables and warm up. */
    private static final long PATIENCE_S = 3_600;

    private final NodeProcess process;
    private NodeProcess.Answer<Integer> prepared;

    ForkedRunner(List<? extends BenchmarkSpec> specs, Pace pace) throws IOException {
        // The tables may be on the heap, and a copy of one while another is made.
        long tables = specs.stream().mapToLong(BenchmarkSpec::memory).sum();
        // Compile in the foreground: on a loaded machine even a long warm-up may end before a background compilation.
        List<String> flags = new ArrayList<>(List.of("-Xbatch"));
        flags.addAll(specs.getFirst().jvmOptions());
        process = NodeProcess.local(
                specs.getFirst().group(), Math.toIntExact(HEAP_BASE_MIB + 2 * (tables >> MIB_BITS)), flags);
        prepared = process.order(new Prepare(new ArrayList<>(specs), pace));
    }

    @Override
    public List<Turn> turn(int place) throws InterruptedException {
        if (prepared != null) {
            prepared.await(PATIENCE_S);
            prepared = null;
        }
        return process.order(new TakeTurn(place)).await(PATIENCE_S);
    }

    @Override
    public void close() {
        process.close();
    }

    /** The benchmarks of this JVM, if it runs a group. */
    private static final class Here {
        private static LocalRunner runner;
    }

    /** Creates the benchmarks in the process. */
    private record Prepare(ArrayList<BenchmarkSpec> specs, Pace pace) implements NodeTask<Integer> {
        @Override
        public Integer run() {
            Here.runner = new LocalRunner(specs, pace);
            return specs.size();
        }
    }

    /** Gives one of the benchmarks a turn. */
    private record TakeTurn(int place) implements NodeTask<ArrayList<Turn>> {
        @Override
        public ArrayList<Turn> run() {
            return new ArrayList<>(Here.runner.turn(place));
        }
    }
}
