package io.sluice.trials.control;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.RejectionCounts;
import io.sluice.consistency.membership.ControlNetwork;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Simulated time, and streams of control frames between simulated processes. A stream behaves like an Aeron stream: its
 * frames arrive once and in order, after random delays, while frames of different streams overtake each other. A cut
 * path holds frames back. If the cut outlasts the image timeout, frames sent meanwhile are lost and the stream
 * reconnects later. A sender detects a dead receiver, or a cut of the return path, only after that timeout.
 *
 * <p>Not thread-safe.
 */
final class SimulatedNetwork {
    /** The network interface of a process. */
    final class Host implements ControlNetwork {
        private final int id;
        private final Consumer<Throwable> errors;
        private final List<Stream> streams = new ArrayList<>();
        private InboxPort port;
        private Runnable wake = () -> {};
        private boolean closed;

        private Host(int id, Consumer<Throwable> errors) {
            this.id = id;
            this.errors = errors;
        }

        /** Sets an action that runs whenever a frame arrives. */
        void onArrival(Runnable action) {
            wake = action;
        }

        /** Kills the process, which sends and receives no more frames. */
        void kill() {
            closed = true;
            if (null != port) {
                port.close();
            }
            streams.forEach(stream -> stream.closed = true);
        }

        private void release(InboxPort closing) {
            ports.remove(closing.endpoint, closing);
        }

        @Override
        public Port open(String label, Endpoint local, FrameValidator validator, FrameHandler handler) {
            Endpoint bound = local.port() == 0 ? local.withPort(nextPort++) : local;
            if (ports.containsKey(bound)) {
                throw new MessagingException("inbox " + label + " cannot listen on " + bound + ": it is in use");
            }
            InboxPort opened = new InboxPort(this, bound, validator, handler);
            ports.put(bound, opened);
            port = opened;
            return opened;
        }

        @Override
        public Line request(String label, Endpoint to) {
            return connect(label, to);
        }

        @Override
        public Line connect(String label, Endpoint to) {
            Stream stream = new Stream(this, to, nextSession++);
            streams.add(stream);
            return stream;
        }

        @Override
        public boolean isDriverSilent() {
            return false;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public MessagingException failure() {
            return null;
        }

        @Override
        public void record(Throwable error) {
            errors.accept(error);
        }

        @Override
        public void onError(Throwable error) {
            errors.accept(error);
        }

        @Override
        public int invoke() {
            return 0;
        }
    }

    /** A frame of a stream, with its time of arrival. */
    private record Arrival(long atNs, int session, UnsafeBuffer frame) {}

    private static final class InboxPort implements ControlNetwork.Port {
        private final Host host;
        private final Endpoint endpoint;
        private final FrameValidator validator;
        private final FrameHandler handler;
        private final RejectionCounts rejections = new RejectionCounts();
        private final ArrayDeque<Arrival> arrived = new ArrayDeque<>();
        private boolean closed;

        InboxPort(Host host, Endpoint endpoint, FrameValidator validator, FrameHandler handler) {
            this.host = host;
            this.endpoint = endpoint;
            this.validator = validator;
            this.handler = handler;
        }

        @Override
        public int poll(int limit) {
            int taken = 0;
            while (taken < limit && !arrived.isEmpty()) {
                Arrival next = arrived.remove();
                taken++;
                Rejection rejection = validator.validate(next.frame, 0, next.frame.capacity());
                if (null != rejection) {
                    reject(rejection);
                } else {
                    handler.onFrame(
                            next.frame, 0, next.frame.capacity(), Frame.templateId(next.frame, 0), next.session);
                }
            }
            return taken;
        }

        @Override
        public void reject(Rejection rejection) {
            rejections.increment(rejection);
        }

        @Override
        public long rejected() {
            return rejections.total();
        }

        @Override
        public Endpoint endpoint() {
            return endpoint;
        }

        @Override
        public void close() {
            closed = true;
            host.release(this);
        }
    }

    private final class Stream implements ControlNetwork.Line {
        private final Host from;
        private final Endpoint to;
        private final int session;

        /** The receiver to which this stream is connected; null while it is not. */
        private InboxPort receiver;

        /** The time from which the receiver takes frames. */
        private long connectedNs;

        /** The time at which the receiver closed or the return path was cut; otherwise {@link #NEVER}. */
        private long unheardNs = NEVER;

        private long lastArrivalNs;
        private boolean closed;

        Stream(Host from, Endpoint to, int session) {
            this.from = from;
            this.to = to;
            this.session = session;
        }

        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length) {
            if (closed || from.closed || !isConnected()) {
                return false;
            }
            Cut cut = cut(from.id, receiver.host.id);
            boolean lost = receiver.closed || cut.isOpenEnded(nowNs);
            if (lost || lossy && random.nextInt(LOSS_ODDS) == 0) {
                return true; // the log accepts the frame, but no receiver gets it
            }
            byte[] copy = new byte[length];
            buffer.getBytes(offset, copy);
            long sentNs = Math.max(nowNs, cut.untilNs);
            lastArrivalNs = Math.max(lastArrivalNs, sentNs + delayNs());
            deliver(receiver, copy, lastArrivalNs);
            if (lossy && random.nextInt(LOSS_ODDS) == 0) {
                deliver(receiver, copy, lastArrivalNs + 100 * delayNs()); // a late duplicate
            }
            frames++;
            return true;
        }

        private void deliver(InboxPort destination, byte[] frame, long atNs) {
            Arrival arrival = new Arrival(atNs, session, new UnsafeBuffer(frame));
            at(atNs, () -> {
                if (!destination.closed) {
                    destination.arrived.add(arrival);
                    destination.host.wake.run();
                }
            });
        }

        private boolean isConnected() {
            if (null == receiver) {
                InboxPort found = ports.get(to);
                if (null == found
                        || cut(from.id, found.host.id).untilNs > nowNs
                        || cut(found.host.id, from.id).untilNs > nowNs) {
                    return false;
                }
                receiver = found;
                connectedNs = nowNs + 2 * delayNs();
                unheardNs = NEVER;
            }
            Cut back = cut(receiver.host.id, from.id);
            boolean unheard = receiver.closed || back.untilNs > nowNs || cut(from.id, receiver.host.id).untilNs > nowNs;
            unheardNs = !unheard ? NEVER : NEVER == unheardNs ? nowNs : unheardNs;
            if (NEVER != unheardNs && nowNs - unheardNs > IMAGE_TIMEOUT_NS) {
                receiver = null;
                return false;
            }
            return nowNs >= connectedNs;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** A time span in which a path from one host to another carries no frames. */
    private record Cut(long sinceNs, long untilNs) {
        static final Cut NONE = new Cut(0, 0);

        /** Whether a frame sent now is lost, because the stream disconnects before the path is restored. */
        boolean isOpenEnded(long nowNs) {
            return untilNs > nowNs && untilNs - sinceNs > IMAGE_TIMEOUT_NS;
        }
    }

    private record Event(long atNs, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNs, other.atNs);
            return 0 == byTime ? Long.compare(order, other.order) : byTime;
        }
    }

    static final long MS = 1_000_000;

    /** Image timeout: four liveness times, the ratio of Aeron's 10 s to the default of 2.5 s. */
    static final long IMAGE_TIMEOUT_NS = 2_000 * MS;

    private static final long NEVER = Long.MIN_VALUE;
    private static final long LEAST_DELAY_NS = MS / 20;
    private static final int FIRST_PORT = 20_000;

    /** A lossy network drops one in this many frames, and duplicates one in this many. */
    private static final int LOSS_ODDS = 16;

    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<Endpoint, InboxPort> ports = new HashMap<>();
    private final Map<Long, Cut> cuts = new HashMap<>();
    private long nowNs = MS;
    private long order;
    private long frames;
    private long mostDelayNs = MS;
    private boolean lossy;
    private int nextPort = FIRST_PORT;
    private int nextSession = 1;
    private int nextHost;

    SimulatedNetwork(Random random) {
        this.random = random;
    }

    long nowNs() {
        return nowNs;
    }

    /** Number of frames sent so far. */
    long frames() {
        return frames;
    }

    /** Adds a host with one process. */
    Host host(Consumer<Throwable> errors) {
        return new Host(nextHost++, errors);
    }

    /** Sets whether frames are dropped, duplicated and reordered from now on. */
    void lossy(boolean now) {
        lossy = now;
    }

    /** Sets the longest delay of a frame from now on. */
    void delays(long mostNs) {
        mostDelayNs = mostNs;
    }

    /** Cuts the path from one host to another for a while. */
    void cut(Host from, Host to, long forNs) {
        cuts.put(path(from.id, to.id), new Cut(nowNs, nowNs + forNs));
    }

    /** Whether a path is cut now. */
    boolean isCut(Host from, Host to) {
        return cut(from.id, to.id).untilNs > nowNs;
    }

    /** Restores all paths, ends losses and resets the delays. */
    void heal() {
        cuts.clear();
        lossy = false;
        mostDelayNs = MS;
    }

    /** Schedules an action at a time. */
    void at(long atNs, Runnable action) {
        events.add(new Event(Math.max(atNs, nowNs), order++, action));
    }

    /** Advances to the next event and runs it; false if there is none. */
    boolean step() {
        Event next = events.poll();
        if (null == next) {
            return false;
        }
        nowNs = next.atNs;
        next.action.run();
        return true;
    }

    /** Draws the delay of the next frame. */
    long delayNs() {
        return LEAST_DELAY_NS + (long) (random.nextDouble() * mostDelayNs);
    }

    private Cut cut(int from, int to) {
        return cuts.isEmpty() ? Cut.NONE : cuts.getOrDefault(path(from, to), Cut.NONE);
    }

    private static long path(int from, int to) {
        return (long) from << Integer.SIZE | to;
    }
}
