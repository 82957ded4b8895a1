package io.sluice.consistency.worker;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node is slow: nodes that wait for longer than 10 s report for what, for which node, by which link and for how long.
 * The nodes' time runs ten times as fast as the test's.
 */
@Timeout(240)
class LongWaitTest {
    private static final NanoClock FAST = () -> 10 * System.nanoTime();
    private static final String LIMITED = "; it waits at most \\d+ s more";
    private static final String OPEN = "; it waits without a limit";

    private static TestCluster cluster(TestDriver driver) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(2)
                .transport(TransportKind.UDP)
                .heartbeatMs(1_000)
                .livenessMs(60_000)
                .build();
        return TestCluster.of(driver, settings)
                .adjust(context -> context.clock(FAST).answerNs(TimeUnit.MINUTES.toNanos(5)));
    }

    private static void awaitSentence(TestCluster cluster, String regex) {
        Pattern sentence = Pattern.compile(regex);
        Deadline.await(
                regex + " is said, not only " + cluster.waits(),
                () -> cluster.waits().stream()
                        .anyMatch(told -> sentence.matcher(told).matches()));
    }

    private static void train(Worker worker, Runnable beforeStart, Runnable beforePush) {
        Table table = worker.table("w", 1, 8 * 64);
        beforeStart.run();
        worker.start(Initialiser.ZEROS);
        table.sync();
        table.update(new float[8 * 64]);
        worker.clock();
        table.sync();
        beforePush.run();
        table.update(new float[8 * 64]);
        worker.clock();
        worker.drain();
    }

    @Tag("slow")
    @Test
    void aWorkerThatJoinsLateIsNamed() {
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = cluster(driver).serve()) {
            cluster.train(0, worker -> train(worker, () -> {}, () -> {}));
            awaitSentence(cluster, "the coordinator has waited for \\d+ s for worker 1 to join the cluster" + LIMITED);
            awaitSentence(
                    cluster,
                    "a worker that joins has waited for \\d+ s for the cluster of the coordinator at [0-9.:]+ to be"
                            + " complete" + LIMITED);
            cluster.train(1, worker -> train(worker, () -> {}, () -> {}));
            cluster.awaitSuccess();
        }
    }

    @Test
    @Tag("slow")
    void aWorkerThatStartsOrPushesLateIsNamed() {
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = cluster(driver).serve()) {
            cluster.train(0, worker -> train(worker, () -> {}, () -> {}));
            cluster.train(1, worker -> train(worker, () -> awaitStart(cluster), () -> awaitPush(cluster)));
            cluster.awaitSuccess();
        }
    }

    @Tag("slow")
    @Test
    void aThreadForWhichOthersWaitIsNamed() {
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = cluster(driver).serve()) {
            cluster.train(worker -> {
                RowClient client = new RowClient(worker, 2);
                client.table("w", 1, 64, false);
                worker.start(Initialiser.ZEROS);
                client.run(thread -> {
                    thread.clock();
                    if (worker.index() == 0 && thread.index() == 1) {
                        awaitSentence(
                                cluster,
                                "worker 0 has waited for \\d+ s for trainer thread 1 to end clock 2" + LIMITED);
                    }
                    thread.clock();
                });
                worker.drain();
            });
            cluster.awaitSuccess();
        }
    }

    private static void awaitStart(TestCluster cluster) {
        awaitSentence(cluster, pushesOf("clock 0", "1 \\(has not declared its tables\\)"));
        awaitSentence(cluster, broadcastOf("version 0"));
    }

    private static void awaitPush(TestCluster cluster) {
        awaitSentence(cluster, pushesOf("clock 2", "1"));
        awaitSentence(cluster, broadcastOf("version 2"));
    }

    private static String pushesOf(String clock, String worker) {
        return "server 1 has waited for \\d+ s for the pushes of " + clock + " of table w by workers " + worker
                + " to [0-9.:]+" + OPEN;
    }

    private static String broadcastOf(String version) {
        String from = "slices [0-9, ]+ of server \\d from server \\d by aeron:udp\\?endpoint=[0-9.:]+ stream -?\\d+,"
                + " of which \\d frames of " + version + " have arrived";
        return "worker 0 has waited for \\d+ s for " + version + " of table w: " + from + "; " + from + LIMITED;
    }
}
