package io.sluice.consistency.replica;

import io.aeron.CommonContext;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.exceptions.AeronException;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventCodec;
import io.sluice.consistency.membership.EventSink;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Offers a leader's decisions to the log: each decision is offered until it returns from the log. If the session with
 * the engine breaks, all open decisions are offered again, since a record takes no number of a term twice. A decision
 * of any length fits: it is sent in numbered pieces of {@value #PIECE} bytes. Never blocks.
 *
 * <p>For the leader's thread.
 */
final class DecisionOffers implements EventSink, AutoCloseable {
    /**
     * Length of a message's header: the leader's term of office (int64), then the number of the message within that
     * term (int32), bitwise complemented if more pieces of the decision follow.
     */
    static final int HEADER = Long.BYTES + Integer.BYTES;

    /** Maximum number of bytes of a decision in one message; even the smallest log buffers take that many. */
    static final int PIECE = 4 << 10;

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
     * @param aeronDirectory Aeron directory of the member's media driver
     * @param term           term of this leadership
     * @param clock          monotonic time
     * @param errors         receives errors of broken sessions
     */
    DecisionOffers(String aeronDirectory, long term, NanoClock clock, ErrorHandler errors) {
        this.aeronDirectory = aeronDirectory;
        this.term = term;
        this.clock = clock;
        this.errors = errors;
    }

    @Override
    public void append(Event event) {
        List<UnsafeBuffer> pieces = pieces(term, number, EventCodec.encode(event));
        number += pieces.size();
        unsaid.addAll(pieces);
    }

    /** The messages that carry a decision. */
    static List<UnsafeBuffer> pieces(long term, int firstNumber, byte[] bytes) {
        List<UnsafeBuffer> pieces = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += PIECE) {
            int length = Math.min(PIECE, bytes.length - at);
            int number = firstNumber + pieces.size();
            UnsafeBuffer piece = new UnsafeBuffer(new byte[HEADER + length]);
            piece.putLong(0, term, ByteOrder.LITTLE_ENDIAN);
            piece.putInt(Long.BYTES, at + length < bytes.length ? ~number : number, ByteOrder.LITTLE_ENDIAN);
            piece.putBytes(HEADER, bytes, at, length);
            pieces.add(piece);
        }
        return pieces;
    }

    /** The number of a message. */
    static int number(DirectBuffer message, int offset) {
        int coded = message.getInt(offset + Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        return coded < 0 ? ~coded : coded;
    }

    /** Whether more pieces of the same decision follow a message. */
    static boolean isContinued(DirectBuffer message, int offset) {
        return message.getInt(offset + Long.BYTES, ByteOrder.LITTLE_ENDIAN) < 0;
    }

    /** Records that a message of this term has returned from the log. */
    void confirmed(int ofNumber) {
        unconfirmed.removeIf(message -> number(message, 0) <= ofNumber);
        unsaid.removeIf(message -> number(message, 0) <= ofNumber);
    }

    /** Connects, offers, and keeps the session; returns the number of messages offered. */
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
            connecting = AeronCluster.asyncConnect(connection());
        }
        session = connecting.poll();
        if (null != session) {
            connecting = null;
        }
    }

    /** Creates the settings of a session with the engine, whose client ends with the session. */
    AeronCluster.Context connection() {
        return new AeronCluster.Context()
                .aeron(Consensus.connect(aeronDirectory, errors))
                .ownsAeronClient(true)
                .ingressChannel(CommonContext.IPC_CHANNEL)
                .egressChannel(CommonContext.IPC_CHANNEL)
                .errorHandler(errors);
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
