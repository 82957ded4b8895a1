package io.sluice.consistency.replica;

import io.aeron.CommonContext;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.exceptions.AeronException;
import io.sluice.consistency.membership.ClusterException;
import io.sluice.consistency.membership.Decision;
import io.sluice.consistency.membership.DecisionLog;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.RecordCodec;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The way of a leader's decisions into the log: each is offered until it has come back. If the session with the engine
 * breaks, all that have not are offered again, since a record takes no number of a term twice. Never blocks.
 *
 * <p>For the leader's thread.
 */
final class DecisionOffers implements DecisionLog, AutoCloseable {
    /** Before a decision stand the term of the leader, and its number in that. */
    static final int HEADER = Long.BYTES + Integer.BYTES;

    private static final long KEEP_ALIVE_NS = TimeUnit.SECONDS.toNanos(1);

    private final String aeronDirectory;
    private final long term;
    private final NanoClock clock;
    private final ErrorHandler errors;
    private final Deque<UnsafeBuffer> unsaid = new ArrayDeque<>();
    private final Deque<UnsafeBuffer> unconfirmed = new ArrayDeque<>();
    private AeronCluster.AsyncConnect connecting;
    private AeronCluster session;
    private int number;
    private long keptAliveNs;

    /**
     * Begins to connect.
     *
     * @param aeronDirectory of the member's media driver
     * @param term           of this leadership
     * @param clock          monotonic time
     * @param errors         hears of sessions that break
     */
    DecisionOffers(String aeronDirectory, long term, NanoClock clock, ErrorHandler errors) {
        this.aeronDirectory = aeronDirectory;
        this.term = term;
        this.clock = clock;
        this.errors = errors;
    }

    @Override
    public void append(Decision decision) {
        byte[] bytes = RecordCodec.encode(decision);
        UnsafeBuffer message = new UnsafeBuffer(new byte[HEADER + bytes.length]);
        message.putLong(0, term, ByteOrder.LITTLE_ENDIAN);
        message.putInt(Long.BYTES, number++, ByteOrder.LITTLE_ENDIAN);
        message.putBytes(HEADER, bytes);
        unsaid.add(message);
    }

    /** A message of this term has come back. */
    void confirmed(int ofNumber) {
        unconfirmed.removeIf(message -> message.getInt(Long.BYTES, ByteOrder.LITTLE_ENDIAN) <= ofNumber);
        unsaid.removeIf(message -> message.getInt(Long.BYTES, ByteOrder.LITTLE_ENDIAN) <= ofNumber);
    }

    /**
     * Connects, offers, and keeps the session; returns the number of decisions offered.
     *
     * @throws ClusterException if a decision is too long for the log
     */
    int work() {
        try {
            if (null == session) {
                connect();
                return 0;
            }
            if (session.isClosed()) {
                reconnect();
                return 0;
            }
            long nowNs = clock.nanoTime();
            session.pollEgress();
            if (nowNs - keptAliveNs > KEEP_ALIVE_NS) {
                keptAliveNs = nowNs;
                session.sendKeepAlive();
            }
            return offer();
        } catch (AeronException e) {
            errors.onError(e);
            reconnect();
            return 0;
        }
    }

    private void connect() {
        if (null == connecting) {
            connecting = AeronCluster.asyncConnect(new AeronCluster.Context()
                    .aeronDirectoryName(aeronDirectory)
                    .ingressChannel(CommonContext.IPC_CHANNEL)
                    .egressChannel(CommonContext.IPC_CHANNEL)
                    .errorHandler(errors));
        }
        session = connecting.poll();
        if (null != session) {
            connecting = null;
        }
    }

    private void reconnect() {
        CloseHelper.quietCloseAll(connecting, session);
        connecting = null;
        session = null;
        while (!unconfirmed.isEmpty()) {
            unsaid.addFirst(unconfirmed.removeLast());
        }
    }

    private int offer() {
        int offered = 0;
        while (!unsaid.isEmpty()) {
            UnsafeBuffer message = unsaid.peek();
            int most = session.ingressPublication().maxMessageLength() - AeronCluster.SESSION_HEADER_LENGTH;
            if (message.capacity() > most) {
                throw new ClusterException(
                        Failure.REFUSED,
                        "a decision of the coordinators takes " + message.capacity()
                                + " bytes, expected at most " + most + ": the cluster has too many nodes for several"
                                + " coordinators");
            }
            if (session.offer(message, 0, message.capacity()) < 0) {
                break;
            }
            unconfirmed.add(unsaid.remove());
            offered++;
        }
        return offered;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(connecting, session);
    }
}
