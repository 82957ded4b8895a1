package io.sluice.perf.race;

import java.util.List;

/** An entrant whose passes make as many bytes as it is told, or die. */
record Runner(String name, int threads, long bytes) implements Entrant {
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
        return List.of("-Dio.sluice.perf.runner=" + name);
    }

    @Override
    public Contestant prepare(int thread) {
        if (bytes < 0) {
            throw new IllegalStateException(name + " has " + bytes + " bytes");
        }
        // A forked runner makes one more byte: its JVM has the flag.
        long more = name.equals(System.getProperty("io.sluice.perf.runner")) ? 1 : 0;
        return tally -> {
            tally.add(bytes + more, 1);
            tally.format(3);
        };
    }
}
