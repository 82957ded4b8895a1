package io.sluice.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The gRPC client of one host: it calls all servers, and adds the received pieces to its parameters on one thread. */
final class GrpcSink implements AutoCloseable, StreamObserver<byte[]> {
    private static final long END_S = 5;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ExecutorService calls = Executors.newSingleThreadExecutor();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final float[] parameters = new float[GrpcSource.PIECE / Float.BYTES];
    private long received;
    private Throwable failure;

    /** Calls the servers, which must be running. */
    GrpcSink(List<String> addresses, int port) {
        for (String address : addresses) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(new InetSocketAddress(address, port))
                    .eventLoopGroup(loops)
                    .channelType(NioSocketChannel.class)
                    .executor(calls)
                    .offloadExecutor(calls)
                    .proxyDetector(target -> null)
                    .maxInboundMessageSize(2 * GrpcSource.PIECE)
                    .usePlaintext()
                    .build();
            channels.add(channel);
            ClientCalls.asyncServerStreamingCall(
                    channel.newCall(GrpcMethod.RECEIVE, CallOptions.DEFAULT), new byte[0], this);
        }
    }

    @Override
    public void onNext(byte[] piece) {
        ByteBuffer bytes = ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder());
        for (int i = 0; i < piece.length / Float.BYTES; i++) {
            parameters[i] += bytes.getFloat(i * Float.BYTES);
        }
        synchronized (this) {
            received += piece.length;
            notifyAll();
        }
    }

    @Override
    public synchronized void onError(Throwable e) {
        failure = e;
        notifyAll();
    }

    @Override
    public synchronized void onCompleted() {
        notifyAll();
    }

    /** Waits for a number of bytes and subtracts them from the count. */
    synchronized void await(long bytes, long patienceNs) throws InterruptedException {
        long deadline = System.nanoTime() + patienceNs;
        while (received < bytes) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (failure != null || leftMs <= 0) {
                throw new IllegalStateException("gRPC has delivered " + received + " of " + bytes + " bytes"
                        + (failure == null ? "" : ": " + failure.getMessage()));
            }
            wait(leftMs);
        }
        received -= bytes;
    }

    /** Waits until all calls have ended: gRPC reports their ends on threads that must still run. */
    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        try {
            for (ManagedChannel channel : channels) {
                channel.awaitTermination(END_S, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        calls.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
