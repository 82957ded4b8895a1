package io.sluice.consistency.worker;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.Link;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Samples a trainer's thread, in a JVM that always interprets the link's call: a compiled call has no safepoint at
 * which a sample could see it.
 */
final class PushDepthProbe {
    private static final int LOOKS = 10;
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    private PushDepthProbe() {}

    /** Takes floats of a slice, consistency, order and lanes; prints the calls of the deepest update that it sees. */
    public static void main(String[] args) throws InterruptedException {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .sliceElements(Integer.parseInt(args[0]))
                .consistency(args[1])
                .order(args[2])
                .build();
        int lanes = Integer.parseInt(args[3]);
        AtomicReference<Thread> trainer = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        List<StackTraceElement> deepest = List.of();
        try (TestDriver driver = TestDriver.launchForLongFrames();
                TestCluster cluster = TestCluster.start(driver, settings)
                        .adjustWorkers(worker -> worker.filterLanes(lanes).sending(ThreadingMode.INVOKER))) {
            cluster.train(worker -> {
                Table table = worker.table("w", 64, 1_024);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[64 * 1_024];
                Arrays.fill(update, 1);
                trainer.set(Thread.currentThread());
                while (!done.get()) {
                    table.sync();
                    table.update(update);
                    worker.clock();
                }
                worker.drain();
            });
            long endNs = System.nanoTime() + LONGEST_NS;
            for (int looks = 0; looks < LOOKS && System.nanoTime() < endNs; ) {
                Thread.sleep(1);
                Thread thread = trainer.get();
                if (null != thread && !thread.isAlive()) {
                    break; // the cluster reports the reason
                }
                List<StackTraceElement> calls = null == thread ? List.of() : fromUpdateToLink(thread);
                looks += calls.isEmpty() ? 0 : 1;
                deepest = calls.size() > deepest.size() ? calls : deepest;
            }
            done.set(true);
            cluster.awaitSuccess();
        }
        System.out.println(deepest);
    }

    /** The calls from an update to the call of its link, both included; none if the stack has no such call. */
    private static List<StackTraceElement> fromUpdateToLink(Thread thread) {
        List<StackTraceElement> calls = List.of(thread.getStackTrace());
        int link = indexOf(calls, Link.class, "offer");
        int update = indexOf(calls, Table.class, "update");
        boolean waits = indexOf(calls, PushChannel.class, "pause") >= 0; // waits for room, and sends waiting frames
        return link < 0 || update < 0 || waits ? List.of() : calls.subList(link, update + 1);
    }

    private static int indexOf(List<StackTraceElement> calls, Class<?> type, String method) {
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).getClassName().equals(type.getName())
                    && calls.get(i).getMethodName().equals(method)) {
                return i;
            }
        }
        return -1;
    }
}
