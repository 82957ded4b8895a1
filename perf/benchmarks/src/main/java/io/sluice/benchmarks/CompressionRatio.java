package io.sluice.benchmarks;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Reports the compression ratio of a benchmark's payloads in addition to the speed. */
public final class CompressionRatio implements InternalProfiler {
    private static volatile double ofPayloads;
    private static volatile double ofDense;

    /**
     * Adds the sizes of one set of payloads.
     *
     * @param dense elements as f32
     * @param raw bytes of the payloads
     * @param compressed bytes of the compressed payloads
     */
    static void report(long dense, long raw, long compressed) {
        ofPayloads = (double) raw / compressed;
        ofDense = (double) dense / compressed;
    }

    @Override
    public String getDescription() {
        return "compression ratio of the payloads";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // The setup of the benchmark reports.
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        return List.of(
                new ScalarResult("ratio", ofPayloads, "payload/compressed", AggregationPolicy.AVG),
                new ScalarResult("ratioToDense", ofDense, "f32/compressed", AggregationPolicy.AVG));
    }
}
