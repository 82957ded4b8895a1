package io.sluice.spark;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Routes;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.Serializable;
import java.net.DatagramSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.BarrierTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A task of the barrier stage: one worker, on the task's thread, and its share of the servers, each on a thread of its
 * own. All tasks wait for each other once, to receive the address of the coordinator, which is server 0 in
 * task 0.
 *
 * @param <T> type of the elements of the RDD
 * @param <M> type of the model
 */
final class BarrierTask<T, M> implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(SluiceSpark.class);

    /**
     * Prefix of the reply of a task that cannot take part. The task does not throw, because Spark would then start the
     * stage again.
     */
    private static final String REFUSAL = "refused: ";

    private final ClusterSettings terms;
    private final byte[] secret;
    private final KeptSnapshots snapshots;
    private final JobMetrics.Counters counters;
    private final SluiceSpark.Trainer<T, M> trainer;

    /** Creates a task. If {@code snapshots} is null, the job takes no snapshots. */
    BarrierTask(
            ClusterSettings terms,
            byte[] secret,
            KeptSnapshots snapshots,
            JobMetrics.Counters counters,
            SluiceSpark.Trainer<T, M> trainer) {
        this.terms = terms;
        this.secret = secret;
        this.snapshots = snapshots;
        this.counters = counters;
        this.trainer = trainer;
    }

    /** Runs in an executor. Returns one pair of a refusal and a model, of which one is null, or nothing. */
    scala.collection.Iterator<Object[]> run(scala.collection.Iterator<T> partition) {
        BarrierTaskContext task = BarrierTaskContext.get();
        List<String> said;
        try (Offer own = Offer.of(task)) {
            said = Arrays.stream(task.allGather(own.text))
                    .filter(each -> !each.isEmpty())
                    .toList();
        }
        String refusal = said.stream()
                .filter(each -> each.startsWith(REFUSAL))
                .findFirst()
                .orElse(null);
        List<Object[]> result;
        if (null != refusal) {
            result = List.<Object[]>of(new Object[] {refusal.substring(REFUSAL.length()), null});
        } else {
            M model = train(task, said.getFirst(), CollectionConverters.asJava(partition));
            result = 0 == task.partitionId() ? List.<Object[]>of(new Object[] {null, model}) : List.of();
        }
        return CollectionConverters.asScala(result.iterator());
    }

    /**
     * Reads what the tasks have returned.
     *
     * @throws MessagingException if an executor cannot run Sluice
     */
    @SuppressWarnings("unchecked") // the trainer has made it in task 0
    M model(List<Object[]> results) {
        Object[] first = results.getFirst();
        if (first[0] instanceof String refusal) {
            throw new MessagingException(refusal);
        }
        return (M) first[1];
    }

    /**
     * What a task tells all tasks.
     *
     * @param text     in task 0, the address of the coordinator; in others, nothing; or the reason why this task cannot
     *                 take part
     * @param reserved keeps the port of the coordinator from other nodes until all tasks know it; null if there is none
     */
    private record Offer(String text, DatagramSocket reserved) implements AutoCloseable {
        static Offer of(BarrierTaskContext task) {
            String address = task.getTaskInfos()[task.partitionId()].address();
            try {
                ExecutorDriver.directory();
                if (0 != task.partitionId()) {
                    return new Offer("", null);
                }
                Endpoint any = new Endpoint(Endpoint.parse(address).host(), 0);
                DatagramSocket reserved = Routes.reservePort(any);
                return new Offer(any.withPort(reserved.getLocalPort()).toString(), reserved);
            } catch (RuntimeException | LinkageError e) { // Spark would start the tasks again, in vain
                String reason = REFUSAL + "the executor at " + address + " cannot run Sluice: " + e.getMessage()
                        + " (executors get JVM flags by spark.executor.extraJavaOptions)";
                return new Offer(reason, null);
            }
        }

        @Override
        public void close() {
            if (null != reserved) {
                reserved.close();
            }
        }
    }

    private M train(BarrierTaskContext task, String address, Iterator<T> partition) {
        ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("sluice-server-", 0).factory());
        List<Future<ServerReport>> servers = new ArrayList<>();
        try (threads) {
            try {
                for (int index = task.partitionId(); index < terms.servers(); index += task.numPartitions()) {
                    ServerContext context = server(task, address, index);
                    servers.add(threads.submit(() -> serve(context)));
                }
                M model = work(task, address, partition);
                for (Future<ServerReport> server : servers) {
                    server.get();
                }
                return model;
            } catch (Exception e) {
                throw failure(e, servers);
            } finally {
                threads.shutdownNow(); // a server that continues would wait for the failed worker
            }
        }
    }

    /**
     * What ends the task. A server that has failed before the worker of its task explains more than that worker, unless
     * the trainer itself has failed.
     */
    private static RuntimeException failure(Exception thrown, List<? extends Future<?>> servers) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        Throwable own = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
        Throwable cause = servers.stream()
                .filter(server -> Future.State.FAILED == server.state() && own instanceof ClusterException)
                .map(Future::exceptionNow)
                .findFirst()
                .orElse(own);
        if (cause != own) {
            cause.addSuppressed(own);
        }
        return cause instanceof RuntimeException e ? e : new CompletionException(cause);
    }

    private static ServerReport serve(ServerContext context) {
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report();
        }
    }

    private ServerContext server(BarrierTaskContext task, String address, int index) {
        ServerContext context = node(new ServerContext().index(index), address);
        if (0 == index) {
            context.coordinate(terms);
        }
        if (0 == index && null != snapshots) {
            boolean again = task.stageAttemptNumber() > 0 || task.attemptNumber() > 0;
            context.takeSnapshots(snapshots.interval(), again || snapshots.restore());
        }
        return context;
    }

    private M work(BarrierTaskContext task, String address, Iterator<T> partition) throws Exception {
        WorkerContext context = node(new WorkerContext().index(task.partitionId()), address)
                .onClock(figures -> {
                    task.killTaskIfInterrupted(); // Spark does not interrupt the thread of a task that it kills
                    counters.onClock(figures);
                });
        try (Worker worker = Worker.connect(context)) {
            LOG.info(
                    "worker {} of {} takes part, from clock {}",
                    worker.index(),
                    worker.workers(),
                    worker.restoredClock().orElse(0));
            try {
                return trainer.train(worker, partition);
            } catch (Throwable e) {
                worker.fail(e);
                throw e;
            }
        }
    }

    private <C extends NodeContext<C>> C node(C context, String address) {
        if (null != snapshots) {
            context.snapshots(snapshots.path());
        }
        return context.cluster(address)
                .aeronDirectory(ExecutorDriver.directory())
                .secret(ClusterSecret.of(secret));
    }
}
