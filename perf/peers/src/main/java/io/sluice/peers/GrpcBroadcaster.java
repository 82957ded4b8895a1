package io.sluice.peers;

import io.sluice.perf.broadcast.Broadcast;
import io.sluice.perf.broadcast.BroadcastPlan;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.Rendezvous;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** An alternative to Sluice: gRPC, each server streams its shard to each worker that calls it. */
final class GrpcBroadcaster {
    static final String SHAPE = "grpc flat";

    private static final int PORT = 31_000;

    private final Cluster cluster;
    private final BroadcastPlan plan;

    GrpcBroadcaster(Cluster cluster, BroadcastPlan plan) {
        this.cluster = cluster;
        this.plan = plan;
    }

    List<Broadcast> turn() throws IOException, InterruptedException {
        int servers = plan.servers();
        ShardPieces pieces = new ShardPieces(plan.bytes(), servers, GrpcSource.PIECE);
        CountDownLatch bound = new CountDownLatch(servers);
        try (HostTasks tasks = new HostTasks(plan.servers() + plan.workers())) {
            List<FutureTask<long[]>> sent = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                long shard = pieces.shard(i);
                String address = cluster.serverHost(i).address();
                sent.add(tasks.start(cluster.serverHost(i), "sender " + i, () -> {
                    try (GrpcSource source = new GrpcSource(address, PORT, plan.workers())) {
                        bound.countDown();
                        return send(source, shard, tasks.rendezvous());
                    }
                }));
            }
            List<String> addresses = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                addresses.add(cluster.serverHost(i).address());
            }
            List<FutureTask<long[]>> received = new ArrayList<>();
            for (int i = 0; i < plan.workers(); i++) {
                received.add(tasks.start(cluster.workerHost(i), "receiver " + i, () -> {
                    bound.await();
                    try (GrpcSink sink = new GrpcSink(addresses, PORT)) {
                        return receive(sink, tasks.rendezvous());
                    }
                }));
            }
            List<Cost> costs = Cost.ofTrials(plan.trials(), cluster.lab(), tasks.rendezvous());
            return Broadcast.between(tasks.results(sent), tasks.results(received), costs);
        }
    }

    private long[] send(GrpcSource source, long shard, Rendezvous rendezvous) throws InterruptedException {
        source.awaitWorkers();
        long[] starts = new long[plan.trials()];
        for (int trial = 0; trial < starts.length; trial++) {
            rendezvous.await();
            rendezvous.await();
            starts[trial] = System.nanoTime();
            source.send(shard);
            rendezvous.await();
            rendezvous.await();
        }
        return starts;
    }

    private long[] receive(GrpcSink sink, Rendezvous rendezvous) throws InterruptedException {
        long[] ends = new long[plan.trials()];
        for (int trial = 0; trial < ends.length; trial++) {
            rendezvous.await();
            rendezvous.await();
            sink.await(plan.bytes(), TimeUnit.MINUTES.toNanos(2));
            ends[trial] = System.nanoTime();
            rendezvous.await();
            rendezvous.await();
        }
        return ends;
    }
}
