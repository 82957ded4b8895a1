package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.SendingMode;
import io.sluice.messaging.Link;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An update is one call deep in each stage that it passes: filter, frame, queue, link. */
@Timeout(60)
class PushDepthTest {
    private static final int MOST = 12;
    private static final int LOOKS = 10;

    @Test
    void anUpdateReachesItsLinkInFewCalls() throws InterruptedException {
        requireShallow(
                TestCluster.terms().servers(1).workers(1).sliceElements(4_096).build(), 1);
    }

    /** What waits for its link is merged, and filtered in lanes, no deeper. */
    @ParameterizedTest
    @CsvSource({"ssp:2, layer, 1", "bsp, fifo, 2"})
    void norDoStagesThatTheTermsAddMakeItDeep(String consistency, String order, int lanes) throws InterruptedException {
        requireShallow(
                TestCluster.terms()
                        .servers(1)
                        .workers(1)
                        .sliceElements(1_024)
                        .consistency(consistency)
                        .order(order)
                        .build(),
                lanes);
    }

    /** Looks at the trainer's thread from outside, until it has been seen in the call of the link often enough. */
    private static void requireShallow(ClusterSettings settings, int lanes) throws InterruptedException {
        AtomicReference<Thread> trainer = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)
                        .adjustWorkers(worker -> worker.filterLanes(lanes).sending(SendingMode.INVOKER))) {
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
            for (int looks = 0; looks < LOOKS; ) {
                Thread.sleep(1);
                Thread thread = trainer.get();
                if (null != thread && !thread.isAlive()) {
                    break; // the cluster says why
                }
                if (null != thread && isInLink(List.of(thread.getStackTrace()))) {
                    looks++;
                }
            }
            done.set(true);
            cluster.awaitSuccess();
        }
    }

    /** Whether the thread is in the call of a link that an update has come to; fails if that is too deep. */
    private static boolean isInLink(List<StackTraceElement> calls) {
        int link = indexOf(calls, Link.class, "offer");
        int update = indexOf(calls, Table.class, "update");
        if (indexOf(calls, PushChannel.class, "pause") >= 0) {
            return false; // it waits for room, and sends what waits meanwhile
        }
        assertTrue(link < 0 || update < 0 || update - link < MOST, () -> "more than " + MOST + " calls: " + calls);
        return link >= 0 && update >= 0;
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
