package io.sluice.perf.benchmark;

import io.sluice.perf.nodes.NodeLoop;
import io.sluice.perf.nodes.NodeProcess;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Runs the benchmarks of a group in a JVM of their own, by orders: first the specs and the pace, then turns. */
public final class ForkedRunner implements Runner {
    private static final long HEAP_BASE_MIB = 128;
    private static final int MIB_BITS = 20;

    /** Filling tables and warming up take that long at most. */
    private static final long PATIENCE_S = 3_600;

    private final NodeProcess process;

    ForkedRunner(List<? extends BenchmarkSpec> specs, Pace pace) throws IOException, InterruptedException {
        // The tables may be on the heap, and a copy of one while another is made.
        long tables = specs.stream().mapToLong(BenchmarkSpec::memory).sum();
        // A loop waits for its compiler: on a loaded machine a warm-up of any length may end before that has come.
        List<String> flags = new ArrayList<>(List.of("-Xbatch"));
        flags.addAll(specs.getFirst().jvmOptions());
        process = NodeProcess.local(
                specs.getFirst().group(),
                ForkedRunner.class,
                Math.toIntExact(HEAP_BASE_MIB + 2 * (tables >> MIB_BITS)),
                flags,
                word(new ArrayList<>(specs)),
                word(pace));
    }

    @Override
    public Turn turn(int place) throws InterruptedException {
        process.order(place);
        return Turn.parse(process.answer(PATIENCE_S), 1);
    }

    @Override
    public void close() {
        process.close();
    }

    /**
     * Runs benchmarks until standard input ends.
     *
     * @param args their specs and the pace, serialized
     * @throws IOException            if they cannot be read
     * @throws ClassNotFoundException if the two JVMs are of different builds
     * @throws InterruptedException   if interrupted
     */
    public static void main(String[] args) throws IOException, ClassNotFoundException, InterruptedException {
        List<? extends BenchmarkSpec> specs = ((List<?>) object(args[0]))
                .stream().map(BenchmarkSpec.class::cast).toList();
        LocalRunner runner = new LocalRunner(specs, (Pace) object(args[1]));
        NodeLoop.run(words -> runner.turn(Integer.parseInt(words[0])).words());
    }

    private static String word(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static Object object(String word) throws IOException, ClassNotFoundException {
        byte[] bytes = Base64.getDecoder().decode(word);
        return new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
    }
}
