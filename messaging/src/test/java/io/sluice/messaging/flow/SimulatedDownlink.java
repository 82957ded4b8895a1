package io.sluice.messaging.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Senders that always have data, and one receiver behind a link with a rate, a delay and a queue that drops what does
 * not fit. Lost datagrams are sent again. Time passes in steps of 0.1 ms.
 */
final class SimulatedDownlink {
    static final int DATAGRAM = 1_408;

    private static final long TICK_NS = 100_000;

    /** Streams open before they carry data. */
    private static final long OPENING_TICKS = 1_000;

    private static final double NS_PER_BYTE = 8e9;

    private final SplittableRandom random;
    private final int delayTicks;
    private final double loss;
    private final ArrayDeque<Packet> queue = new ArrayDeque<>();
    private final List<Sender> senders = new ArrayList<>();
    private double bytesPerTick;
    private long queueBytes;
    private double credit;
    private long waiting;
    private long tick;
    private long sent;
    private long again;

    private record Packet(Sender from, long position, long askedTick) {}

    /** A stream and its window. */
    private final class Sender {
        private final DelayWindow window = new DelayWindow(4 * DATAGRAM, 2 << 20);
        private final TreeSet<Long> missing = new TreeSet<>();
        private final ArrayDeque<long[]> resends = new ArrayDeque<>();
        private final ArrayDeque<long[]> answers = new ArrayDeque<>();
        private final long[] limits = new long[delayTicks];
        private long position;
        private long highest;
        private boolean gap;

        private void send() {
            while (!resends.isEmpty() && resends.peek()[0] <= tick) {
                again += DATAGRAM;
                enter(new Packet(this, resends.poll()[1], -1));
            }
            long limit = tick < OPENING_TICKS ? 0 : limits[(int) (tick % delayTicks)];
            for (; position + DATAGRAM <= limit; position += DATAGRAM) {
                enter(new Packet(this, position, -1));
            }
        }

        private void look() {
            long now = tick * TICK_NS;
            while (!answers.isEmpty() && answers.peek()[0] <= tick) {
                window.onAnswer((tick - answers.poll()[1]) * TICK_NS);
            }
            if (window.asks(now)) {
                window.onAsked(now);
                enter(new Packet(this, 0, tick));
            }
            long consumed = missing.isEmpty() ? highest : Math.min(highest, missing.first());
            int index = (int) (tick % delayTicks);
            long earlier = limits[Math.floorMod(index - 1, delayTicks)];
            limits[index] = Math.max(earlier, consumed + window.bytes(now, highest, gap));
            gap = false;
        }
    }

    /** Of a link. */
    SimulatedDownlink(long seed, int streams, long rate, long queueMs, long delayMs, double loss) {
        random = new SplittableRandom(seed);
        delayTicks = (int) Math.max(1, delayMs * 1_000_000 / TICK_NS);
        this.loss = loss;
        rate(rate, queueMs);
        for (int i = 0; i < streams; i++) {
            senders.add(new Sender());
        }
    }

    /** Changes the rate, and the queue with it. */
    void rate(long bitsPerSecond, long queueMs) {
        bytesPerTick = bitsPerSecond / NS_PER_BYTE * TICK_NS;
        queueBytes = Math.max(32 * DATAGRAM, bitsPerSecond * queueMs / 8_000);
    }

    private void enter(Packet packet) {
        boolean data = packet.askedTick < 0;
        if (data) {
            sent += DATAGRAM;
        }
        if (waiting + DATAGRAM > queueBytes || data && random.nextDouble() < loss) {
            if (data) {
                packet.from.missing.add(packet.position);
                long found = (long) (waiting / bytesPerTick) + 2L * delayTicks;
                packet.from.resends.add(new long[] {tick + found, packet.position});
                packet.from.gap = true;
            }
            return;
        }
        waiting += data ? DATAGRAM : 0;
        queue.add(packet);
    }

    /** Lets time pass, and returns the bytes that each stream has delivered meanwhile. */
    long[] run(long ms) {
        long[] before = delivered();
        sent = 0;
        again = 0;
        for (long end = tick + ms * 1_000_000 / TICK_NS; tick < end; tick++) {
            int first = random.nextInt(senders.size());
            for (int i = 0; i < senders.size(); i++) {
                senders.get((first + i) % senders.size()).send();
            }
            serve();
            senders.forEach(Sender::look);
        }
        long[] after = delivered();
        for (int i = 0; i < after.length; i++) {
            after[i] -= before[i];
        }
        return after;
    }

    private void serve() {
        credit = queue.isEmpty() ? bytesPerTick : credit + bytesPerTick;
        while (!queue.isEmpty() && (queue.peek().askedTick >= 0 || credit >= DATAGRAM)) {
            Packet packet = queue.poll();
            if (packet.askedTick >= 0) {
                packet.from.answers.add(new long[] {tick + delayTicks, packet.askedTick});
                continue;
            }
            credit -= DATAGRAM;
            waiting -= DATAGRAM;
            packet.from.missing.remove(packet.position);
            packet.from.highest = Math.max(packet.from.highest, packet.position + DATAGRAM);
        }
    }

    private long[] delivered() {
        return senders.stream()
                .mapToLong(sender -> sender.highest - (long) DATAGRAM * sender.missing.size())
                .toArray();
    }

    /** The share of what was sent in the last run that had been sent before. */
    double retransmitted() {
        return (double) again / sent;
    }

    /** Milliseconds that a datagram waits now. */
    double queueMs() {
        return waiting / bytesPerTick * TICK_NS / 1e6;
    }
}
