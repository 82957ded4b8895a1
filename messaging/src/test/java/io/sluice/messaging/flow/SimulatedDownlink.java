package io.sluice.messaging.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Senders that always have data, and receivers behind a link with a rate, a delay, and a queue that drops what does not
 * fit. Receivers ask for missing data as Aeron does: for the first gap, at once and every 5 ms. Time passes in steps of
 * 0.1 ms.
 */
final class SimulatedDownlink {
    static final int DATAGRAM = 1_408;

    private static final long TICK_NS = 100_000;
    private static final long TICKS_PER_MS = 10;
    private static final long NAK_TICKS = 50;
    private static final long HEARTBEAT_TICKS = 1_000;
    /** Time for which streams are open before they carry data. */
    private static final long OPENING_TICKS = 500;

    private static final long DATA = -1;
    private static final long HEARTBEAT = -2;
    private static final int SMALL_QUEUE = 32;
    private static final int WHOLE = 2 << 20;
    private static final double NS_PER_BYTE = 8e9;

    private final SplittableRandom random;
    private final int delayTicks;
    private final double loss;
    private final ArrayDeque<Packet> queue = new ArrayDeque<>();
    private final List<Stream> streams = new ArrayList<>();
    private long backTicks;
    private double bytesPerTick;
    private long queueBytes;
    private double credit;
    private long waiting;
    private long tick;
    private long sent;
    private long again;
    private long dropped;
    private long longestPauseTicks;
    private long sendersPauseUntil;
    private long receiversPauseUntil;

    private record Packet(Stream of, long position, long askedTick) {}

    private record Event(long tick, long position, int length) {}

    /** A stream: its sender, its receiver and what is between them but the queue. */
    private final class Stream {
        private final MeasuredWindow window = new MeasuredWindow(DATAGRAM, WHOLE);
        private final Resends resends = new Resends();
        private final TreeSet<Long> early = new TreeSet<>();
        private final ArrayDeque<Long> socket = new ArrayDeque<>();
        private final ArrayDeque<Event> naks = new ArrayDeque<>();
        private final ArrayDeque<Long> questions = new ArrayDeque<>();
        private final ArrayDeque<Event> answers = new ArrayDeque<>();
        private final ArrayDeque<Event> reports = new ArrayDeque<>();
        private long from = OPENING_TICKS;
        private long until = Long.MAX_VALUE;
        private double credit;
        private double bytesPerTick = Double.MAX_VALUE;
        private long position;
        private long limit = window.bytes();
        private int told = window.bytes();
        private long highest;
        private long complete;
        private long gapBegins = -1;
        private long nakTick;
        private long sentTick;

        private void send() {
            credit = Math.min(credit + bytesPerTick, 2L * DATAGRAM + bytesPerTick);
            while (!reports.isEmpty() && reports.peek().tick <= tick) {
                Event report = reports.poll();
                limit = Math.max(limit, report.position + report.length);
                told = report.length;
                resends.onComplete(report.position, tick * TICK_NS);
            }
            while (!questions.isEmpty() && questions.peek() + delayTicks + backTicks <= tick) {
                enter(new Packet(this, 0, questions.poll()));
            }
            while (!naks.isEmpty() && naks.peek().tick <= tick) {
                Event nak = naks.poll();
                int length = resends.admit(nak.position, nak.length, told, DATAGRAM, tick * TICK_NS);
                for (long at = nak.position; at + DATAGRAM <= nak.position + length; at += DATAGRAM) {
                    again += DATAGRAM;
                    enter(new Packet(this, at, DATA));
                }
            }
            if (tick < from || tick >= until) {
                return;
            }
            for (; position + DATAGRAM <= limit && credit >= DATAGRAM; position += DATAGRAM) {
                credit -= DATAGRAM;
                sentTick = tick;
                enter(new Packet(this, position, DATA));
            }
            if (tick - sentTick > HEARTBEAT_TICKS) {
                sentTick = tick;
                enter(new Packet(this, position, HEARTBEAT));
            }
        }

        private void arrive(long at) {
            if (at < complete || !early.add(at)) {
                return;
            }
            highest = Math.max(highest, at + DATAGRAM);
            while (!early.isEmpty() && early.first() == complete) {
                early.pollFirst();
                complete += DATAGRAM;
            }
        }

        private void look() {
            long now = tick * TICK_NS;
            while (!socket.isEmpty()) {
                arrive(socket.poll());
            }
            while (!answers.isEmpty() && answers.peek().tick <= tick) {
                window.onAnswer((tick - answers.poll().position) * TICK_NS, backTicks * TICK_NS);
            }
            if (window.asks(now)) {
                window.onAsked(now);
                questions.add(tick);
            }
            if (highest > complete && (gapBegins != complete || tick - nakTick >= NAK_TICKS)) {
                gapBegins = complete;
                nakTick = tick;
                long end = early.isEmpty() ? highest : early.first();
                naks.add(new Event(tick + delayTicks + backTicks, complete, (int) (end - complete)));
            }
            reports.add(new Event(tick + delayTicks + backTicks, complete, window.bytes(now, highest, complete)));
        }
    }

    /** Creates an idle link. */
    SimulatedDownlink(long seed, int count, long rate, long queueMs, double delayMs, double loss) {
        random = new SplittableRandom(seed);
        delayTicks = (int) Math.max(1, delayMs * TICKS_PER_MS);
        this.loss = loss;
        rate(rate, queueMs);
        for (int i = 0; i < count; i++) {
            streams.add(new Stream());
        }
    }

    /** Changes the rate, and the queue with it. */
    void rate(long bitsPerSecond, long queueMs) {
        bytesPerTick = bitsPerSecond / NS_PER_BYTE * TICK_NS;
        queueBytes = Math.max(SMALL_QUEUE * DATAGRAM, bitsPerSecond * queueMs / 8_000);
    }

    /** Makes all that receivers send wait behind other data; the replies of senders state that time. */
    void waitsBack(long ms) {
        backTicks = ms * TICKS_PER_MS;
    }

    /**
     * Makes senders and receivers pause independently at random: each for about a third of the time, with pauses
     * shorter than {@code ms}.
     */
    void pauses(long ms) {
        longestPauseTicks = ms * TICKS_PER_MS;
    }

    private long pauseFrom(long until) {
        boolean begins = longestPauseTicks > 0 && tick >= until && random.nextLong(longestPauseTicks) == 0;
        return begins ? tick + random.nextLong(longestPauseTicks) : until;
    }

    /** Limits what one stream has to send. */
    void source(int stream, long bitsPerSecond) {
        streams.get(stream).bytesPerTick = bitsPerSecond / NS_PER_BYTE * TICK_NS;
    }

    /** Lets one stream send from now plus a time on only. */
    void begins(int stream, long ms) {
        streams.get(stream).from = tick + ms * TICKS_PER_MS;
    }

    /** Ends what one stream has to send, after a time. */
    void ends(int stream, long ms) {
        streams.get(stream).until = tick + ms * TICKS_PER_MS;
    }

    private void enter(Packet packet) {
        boolean data = packet.askedTick == DATA;
        sent += data ? DATAGRAM : 0;
        if (waiting + DATAGRAM > queueBytes || random.nextDouble() < loss) {
            dropped += data ? DATAGRAM : 0;
            return;
        }
        waiting += data ? DATAGRAM : 0;
        queue.add(packet);
    }

    /** Lets time pass, and returns the bytes that each stream has completed meanwhile. */
    long[] run(long ms) {
        long[] before = completed();
        sent = 0;
        again = 0;
        dropped = 0;
        for (long end = tick + ms * TICKS_PER_MS; tick < end; tick++) {
            sendersPauseUntil = pauseFrom(sendersPauseUntil);
            int first = random.nextInt(streams.size());
            for (int i = 0; i < streams.size() && tick >= sendersPauseUntil; i++) {
                streams.get((first + i) % streams.size()).send();
            }
            serve();
            receiversPauseUntil = pauseFrom(receiversPauseUntil);
            if (tick >= receiversPauseUntil) {
                streams.forEach(Stream::look);
            }
        }
        long[] after = completed();
        for (int i = 0; i < after.length; i++) {
            after[i] -= before[i];
        }
        return after;
    }

    private void serve() {
        credit = queue.isEmpty() ? bytesPerTick : credit + bytesPerTick;
        while (!queue.isEmpty() && (queue.peek().askedTick != DATA || credit >= DATAGRAM)) {
            Packet packet = queue.poll();
            if (packet.askedTick == HEARTBEAT) {
                packet.of.highest = Math.max(packet.of.highest, packet.position);
                continue;
            }
            if (packet.askedTick >= 0) {
                packet.of.answers.add(new Event(tick, packet.askedTick, 0));
                continue;
            }
            credit -= DATAGRAM;
            waiting -= DATAGRAM;
            packet.of.socket.add(packet.position);
        }
    }

    private long[] completed() {
        return streams.stream().mapToLong(stream -> stream.complete).toArray();
    }

    /** The share of what was sent in the last run that had been sent before. */
    double sentAgain() {
        return (double) again / Math.max(1, sent);
    }

    /** The share of what was sent in the last run that the link has dropped. */
    double dropped() {
        return (double) dropped / Math.max(1, sent);
    }

    /** Milliseconds that a datagram waits now. */
    double queueMs() {
        return waiting / bytesPerTick / TICKS_PER_MS;
    }

    /** Windows of the streams, in KiB. */
    String windows() {
        return Arrays.toString(
                streams.stream().mapToInt(stream -> stream.window.bytes() >> 10).toArray());
    }
}
