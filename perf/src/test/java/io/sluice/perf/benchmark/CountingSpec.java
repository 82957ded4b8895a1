package io.sluice.perf.benchmark;

import java.util.Collections;
import java.util.List;

/** A benchmark whose passes make a given number of bytes, or fail. */
record CountingSpec(String name, int threads, long bytes) implements BenchmarkSpec {
    @Override
    public long elements() {
        return 100;
    }

    @Override
    public long memory() {
        return 0;
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Dio.sluice.perf.counting=" + name);
    }

    @Override
    public List<Benchmark> prepare() {
        if (bytes < 0) {
            throw new IllegalStateException(name + " has " + bytes + " bytes");
        }
        // A forked one makes one more byte: its JVM has the flag.
        long more = name.equals(System.getProperty("io.sluice.perf.counting")) ? 1 : 0;
        return Collections.nCopies(threads, tally -> {
            tally.add(bytes + more, 1);
            tally.format(3);
        });
    }
}
