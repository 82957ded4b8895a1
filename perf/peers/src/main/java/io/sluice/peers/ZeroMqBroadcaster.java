package io.sluice.peers;

import io.sluice.perf.broadcast.Broadcast;
import io.sluice.perf.broadcast.BroadcastPlan;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.Rendezvous;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ.Socket;

/**
 * An alternative to Sluice: ZeroMQ (JeroMQ), each server sends its shard to each worker over TCP, in pieces of 256 KiB.
 * Workers add the received pieces to their parameters.
 */
final class ZeroMqBroadcaster {
    static final String SHAPE = "zeromq flat";

    private static final int PIECE = 256 << 10;

    /** Maximum number of messages that wait at either end of a connection. */
    private static final int HIGH_WATER = 8;

    private static final int PORT = 30_000;
    private static final int TIMEOUT_MS = (int) TimeUnit.MINUTES.toMillis(2);

    private final Cluster cluster;
    private final BroadcastPlan plan;

    ZeroMqBroadcaster(Cluster cluster, BroadcastPlan plan) {
        this.cluster = cluster;
        this.plan = plan;
    }

    List<Broadcast> turn() throws IOException, InterruptedException {
        int nodes = plan.servers() + plan.workers();
        ShardPieces pieces = new ShardPieces(plan.bytes(), plan.servers(), PIECE);
        try (HostTasks tasks = new HostTasks(nodes)) {
            List<FutureTask<long[]>> sent = new ArrayList<>();
            List<FutureTask<long[]>> received = new ArrayList<>();
            for (int i = 0; i < plan.workers(); i++) {
                String address = "tcp://" + cluster.workerHost(i).address() + ":" + PORT;
                received.add(tasks.start(
                        cluster.workerHost(i), "receiver " + i, () -> receive(address, tasks.rendezvous())));
            }
            for (int i = 0; i < plan.servers(); i++) {
                long bytes = pieces.shard(i);
                sent.add(tasks.start(cluster.serverHost(i), "sender " + i, () -> send(bytes, tasks.rendezvous())));
            }
            List<Cost> costs = Cost.ofTrials(plan.trials(), cluster.lab(), tasks.rendezvous());
            return Broadcast.between(tasks.results(sent), tasks.results(received), costs);
        }
    }

    private long[] send(long bytes, Rendezvous rendezvous) throws InterruptedException {
        byte[] piece = new byte[PIECE];
        byte[] rest = new byte[(int) (bytes % PIECE)];
        try (ZContext context = new ZContext()) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < plan.workers(); i++) {
                Socket socket = context.createSocket(SocketType.PUSH);
                socket.setSndHWM(HIGH_WATER);
                socket.setSendTimeOut(TIMEOUT_MS);
                socket.connect("tcp://" + cluster.workerHost(i).address() + ":" + PORT);
                requireInTime(socket.send(new byte[0]));
                sockets.add(socket);
            }
            long[] starts = new long[plan.trials()];
            for (int trial = 0; trial < starts.length; trial++) {
                rendezvous.await();
                rendezvous.await();
                starts[trial] = System.nanoTime();
                for (long left = bytes; left > 0; left -= PIECE) {
                    byte[] next = left >= PIECE ? piece : rest;
                    sockets.forEach(socket -> requireInTime(socket.send(next)));
                }
                rendezvous.await();
                rendezvous.await();
            }
            return starts;
        }
    }

    private long[] receive(String address, Rendezvous rendezvous) throws InterruptedException {
        float[] parameters = new float[PIECE / Float.BYTES];
        try (ZContext context = new ZContext()) {
            Socket socket = context.createSocket(SocketType.PULL);
            socket.setRcvHWM(HIGH_WATER);
            socket.setReceiveTimeOut(TIMEOUT_MS);
            socket.bind(address);
            for (int i = 0; i < plan.servers(); i++) {
                requireInTime(socket.recv() != null); // all are connected
            }
            long[] ends = new long[plan.trials()];
            for (int trial = 0; trial < ends.length; trial++) {
                rendezvous.await();
                rendezvous.await();
                for (long left = plan.bytes(); left > 0; ) {
                    byte[] piece = socket.recv();
                    requireInTime(piece != null);
                    add(piece, parameters);
                    left -= piece.length;
                }
                ends[trial] = System.nanoTime();
                rendezvous.await();
                rendezvous.await();
            }
            return ends;
        }
    }

    private static void add(byte[] piece, float[] parameters) {
        ByteBuffer bytes = ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder());
        for (int i = 0; i < piece.length / Float.BYTES; i++) {
            parameters[i] += bytes.getFloat(i * Float.BYTES);
        }
    }

    private static void requireInTime(boolean moved) {
        if (!moved) {
            throw new IllegalStateException("ZeroMQ moved no message for " + TIMEOUT_MS / 1_000 + " s");
        }
    }
}
