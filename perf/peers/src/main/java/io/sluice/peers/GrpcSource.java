package io.sluice.peers;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The gRPC server of one host. It has threads of its own, because threads belong to hosts. One thread sends a piece to
 * each worker that is ready, so a slow worker delays no other.
 */
final class GrpcSource implements AutoCloseable {
    static final int PIECE = 1 << 20;

    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long LOOK_MS = 100;
    private static final long END_S = 5;

    private final int workers;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ExecutorService calls = Executors.newSingleThreadExecutor();
    private final Server server;
    private final List<ServerCallStreamObserver<byte[]>> streams = new ArrayList<>();

    /** Starts the server for a number of workers. */
    GrpcSource(String address, int port, int workers) throws IOException {
        this.workers = workers;
        ServerServiceDefinition service = ServerServiceDefinition.builder(GrpcMethod.SERVICE)
                .addMethod(GrpcMethod.RECEIVE, ServerCalls.asyncServerStreamingCall((request, stream) -> {
                    ServerCallStreamObserver<byte[]> call = (ServerCallStreamObserver<byte[]>) stream;
                    call.setOnReadyHandler(this::wake);
                    add(call);
                }))
                .build();
        server = NettyServerBuilder.forAddress(new InetSocketAddress(address, port))
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .channelType(NioServerSocketChannel.class)
                .executor(calls)
                .addService(service)
                .build()
                .start();
    }

    private synchronized void add(ServerCallStreamObserver<byte[]> call) {
        streams.add(call);
        notifyAll();
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** Returns when all workers have called. */
    synchronized void awaitWorkers() throws InterruptedException {
        while (streams.size() < workers) {
            wait(LOOK_MS);
        }
    }

    /** Sends a number of bytes to each worker. */
    void send(long bytes) throws InterruptedException {
        byte[] piece = new byte[PIECE];
        byte[] rest = new byte[(int) (bytes % PIECE)];
        long[] left = new long[workers];
        Arrays.fill(left, bytes);
        long sinceNs = System.nanoTime();
        while (Arrays.stream(left).anyMatch(more -> more > 0)) {
            boolean sent = false;
            for (int i = 0; i < workers; i++) {
                if (left[i] > 0 && streams.get(i).isReady()) {
                    streams.get(i).onNext(left[i] >= PIECE ? piece : rest);
                    left[i] -= PIECE;
                    sent = true;
                }
            }
            if (sent) {
                sinceNs = System.nanoTime();
            } else if (System.nanoTime() - sinceNs > PATIENCE_NS) {
                throw new IllegalStateException("gRPC accepted no message for 120 s");
            } else {
                awaitReady(left);
            }
        }
    }

    private synchronized void awaitReady(long[] left) throws InterruptedException {
        for (int i = 0; i < workers; i++) {
            if (left[i] > 0 && streams.get(i).isReady()) {
                return;
            }
        }
        wait(LOOK_MS);
    }

    /** Waits until all calls have ended: gRPC reports their ends on threads that must still run. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(END_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        calls.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
