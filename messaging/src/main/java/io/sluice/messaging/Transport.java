package io.sluice.messaging;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.DriverTimeoutException;
import io.sluice.codecs.FrameValidator;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.Counters;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.idle.Bell;
import io.sluice.messaging.idle.NodeIdle;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A process's connection to the media driver of its host. It opens {@link Link}s and {@link Inbox}es, and closing it
 * closes them all.
 *
 * <p>Any thread may open; each link and each inbox then belongs to one thread. Aeron's client conductor runs on a
 * thread of its own that sleeps most of the time, or in the thread that calls {@link #invoke()}, which then is the only
 * one that may open and close. If the driver dies, the conductor notices within {@link Context#driverTimeoutNs}, all
 * links and inboxes are closed, and {@link #failure()} has the cause.
 */
public final class Transport implements AutoCloseable {
    /** Maximum number of attempts to bind a free port, since another process may take it first. */
    private static final int FREE_PORT_ATTEMPTS = 8;

    /**
     * Time from the end of the driver until Aeron unmaps the logs, which other threads may be reading or writing. They
     * notice the end in their next call.
     */
    private static final long NOTICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long an inbox at a given port waits while another client has claimed the port, but not bound it yet. */
    private static final long CLAIM_NS = TimeUnit.SECONDS.toNanos(1);

    private final Context context;
    private final Channels channels;
    private final Aeron aeron;
    private final InvokedAgent conductor; // null if the conductor has a thread of its own
    private final String hostKey;
    private final AtomicReference<Throwable> failure;
    private final Counters counters;
    private final ErrorLog errorLog;
    private final PortClaims claims;
    private final DriverPulse pulse;
    private final Bell bell;

    private Transport(
            Context context,
            Aeron aeron,
            ConductorIdle conductorIdle,
            ErrorLog errorLog,
            AtomicReference<Throwable> failure) {
        this.context = context;
        this.channels = context.channels;
        this.aeron = aeron;
        this.hostKey = RunningDriver.hostKey(context.directory);
        this.failure = failure;
        this.errorLog = errorLog;
        this.counters = new Counters(aeron, context.directory, context.slowCycleNs, this::onError);
        this.claims = new PortClaims(aeron, channels, context.directory);
        this.bell = Bell.of(context.directory);
        this.pulse = new DriverPulse(counters, aeron.context().epochClock());
        DriverWatch watch = new DriverWatch(context.directory, pulse, SystemNanoClock.INSTANCE);
        Runnable chores = () -> {
            counters.publish();
            watch.look();
        };
        this.conductor = InvokedAgent.conductorOf(aeron, chores);
        conductorIdle.alsoDo(chores);
    }

    /**
     * Connects to the driver in the context's directory.
     *
     * @param context settings; not to be used again.
     * @return the connection.
     * @throws MessagingException if a setting is out of range or no driver runs there.
     */
    public static Transport connect(Context context) {
        JvmAccess.require();
        context.conclude();
        return Uninterrupted.call(() -> open(context));
    }

    private static Transport open(Context context) {
        if (!Driver.isActive(context.directory)) {
            throw AeronErrors.noDriver(context.directory, null);
        }
        AtomicReference<Throwable> failure = new AtomicReference<>();
        ErrorLog errorLog = new ErrorLog(context.directory);
        Aeron.Context client = new Aeron.Context();
        ErrorHandler handler = error -> {
            if (!AeronErrors.isFatal(error)) {
                errorLog.record(error);
                context.errorHandler.onError(error);
            } else if (failure.compareAndSet(null, error)) { // Aeron throws a second exception to end its thread
                client.closeLingerDurationNs(NOTICE_NS);
                errorLog.record(error);
                context.errorHandler.onError(AeronErrors.lost(context.directory, error));
            }
        };
        ConductorIdle conductorIdle = new ConductorIdle(context.conductorSleepNs);
        client.epochClock(DriverTime.of(context.directory))
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(driverTimeoutNs(context)))
                .idleStrategy(conductorIdle)
                .useConductorAgentInvoker(context.conductorInvoked)
                .awaitingIdleStrategy(new SleepingIdleStrategy(TimeUnit.MICROSECONDS.toNanos(100)))
                .errorHandler(handler)
                .subscriberErrorHandler(handler);
        client.aeronDirectoryName(context.directory.toString());
        Aeron aeron = null;
        try {
            aeron = Aeron.connect(client);
            return new Transport(context, aeron, conductorIdle, errorLog, failure);
        } catch (DriverTimeoutException e) {
            throw AeronErrors.noDriver(context.directory, e);
        } catch (AeronException | IllegalStateException e) {
            throw new MessagingException(
                    "the media driver in " + context.directory + " cannot be used: " + e.getMessage(), e);
        } catch (MessagingException e) {
            CloseHelper.quietClose(aeron);
            throw e;
        }
    }

    /** A driver of this process is as patient with its clients, which a pause of the process stops with it. */
    private static long driverTimeoutNs(Context context) {
        return Math.max(context.driverTimeoutNs, RunningDriver.clientLivenessHereNs(context.directory));
    }

    /**
     * Opens the sending end of a stream. It is not connected yet; see {@link Link#awaitConnected}.
     *
     * @param label name of the peer in messages and errors.
     * @param channel channel from {@link Channels#ipc()} or {@link Channels#udpTo}.
     * @param streamId stream id of the stream.
     * @return the link.
     * @throws MessagingException if the driver refuses, with its reason.
     */
    public Link openLink(String label, String channel, int streamId) {
        try {
            return link(label, Uninterrupted.call(() -> aeron.addExclusivePublication(channel, streamId)), streamId);
        } catch (AeronException | IllegalStateException e) {
            throw AeronErrors.refused("link " + label, channel, context.directory, e);
        }
    }

    /**
     * Requests the sending end of a stream from the driver without waiting, for a thread that must not wait.
     * Then call {@link #requestedLink} until it returns the link, or {@link #withdrawLink}, on the same thread.
     *
     * @param label name of the peer in messages and errors.
     * @param channel channel from {@link Channels#ipc()} or {@link Channels#udpTo}.
     * @param streamId stream id of the stream.
     * @return the request.
     * @throws MessagingException if the driver cannot receive the request.
     */
    public long requestLink(String label, String channel, int streamId) {
        try {
            return aeron.asyncAddExclusivePublication(channel, streamId);
        } catch (AeronException | IllegalStateException e) {
            throw AeronErrors.refused("link " + label, channel, context.directory, e);
        }
    }

    /**
     * Returns the requested link once the driver has answered. Never waits.
     *
     * @param label label as requested.
     * @param channel channel as requested.
     * @param streamId stream id as requested.
     * @param request request from {@link #requestLink}.
     * @return the link, or null while there is no answer.
     * @throws MessagingException if the driver refuses, with its reason.
     */
    public Link requestedLink(String label, String channel, int streamId, long request) {
        try {
            if (aeron.isCommandActive(request)) {
                return null;
            }
            ExclusivePublication publication = aeron.getExclusivePublication(request);
            if (publication == null) { // the client has reported its exception to the error handler
                throw new MessagingException("link " + label + " could not be opened on " + channel
                        + ": its log could not be mapped; is the number of open files or of mappings exhausted?");
            }
            return link(label, publication, streamId);
        } catch (AeronException | IllegalStateException e) {
            throw AeronErrors.refused("link " + label, channel, context.directory, e);
        }
    }

    /**
     * Withdraws a request, whether it was answered or not.
     *
     * @param request request from {@link #requestLink}, whose link was not taken.
     */
    public void withdrawLink(long request) {
        if (!aeron.isClosed()) {
            aeron.asyncRemovePublication(request);
        }
    }

    private Link link(String label, ExclusivePublication publication, int streamId) {
        return new Link(
                label,
                publication,
                bell,
                counters.link(label, publication.registrationId(), publication.sessionId(), streamId));
    }

    /**
     * Opens the receiving end of a shared-memory stream. Its frames have not left this host, so checksums are verified
     * only if {@link Context#verifySharedMemory} is set; all other checks are made.
     *
     * @param label name of the inbox in messages and errors.
     * @param streamId stream id of the stream.
     * @param validator validator of the thread that will poll.
     * @param handler handler of the valid frames.
     * @return the inbox.
     * @throws MessagingException if the driver refuses, with its reason.
     */
    public Inbox openIpcInbox(String label, int streamId, FrameValidator validator, FrameHandler handler) {
        Inbox inbox = new Inbox(label, validator, context.verifySharedMemory, handler, Bell.NONE, this::onError);
        return openInbox(inbox, channels.ipc(), streamId);
    }

    /**
     * Opens the receiving end of a UDP stream. Several streams of one transport may share an endpoint.
     *
     * <p>Clients of a driver also share its sockets, so the operating system would not object to two of them receiving
     * on one port, and each would get the other's frames; this method refuses the second one.
     *
     * @param label name of the inbox in messages and errors.
     * @param local endpoint at which to receive; port 0 takes a free port, see {@link Inbox#endpoint()}.
     * @param streamId stream id of the stream.
     * @param validator validator of the thread that will poll.
     * @param handler handler of the valid frames.
     * @return the inbox, bound.
     * @throws EndpointInUseException if another process receives there, or has been about to for a second.
     * @throws MessagingException if the driver refuses, with its reason.
     */
    public synchronized Inbox openUdpInbox(
            String label, Endpoint local, int streamId, FrameValidator validator, FrameHandler handler) {
        claims.forgetReleased();
        if (local.port() != 0) {
            return openBoundInbox(label, local, CLAIM_NS, streamId, validator, handler);
        }
        // Aeron must not choose the port: streams share a socket only if all of them name its port.
        for (int attempt = 1; ; attempt++) {
            try {
                Endpoint free = local.withPort(Routes.freePort(local));
                return openBoundInbox(label, free, 0, streamId, validator, handler);
            } catch (EndpointInUseException e) {
                if (attempt == FREE_PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Inbox openBoundInbox(
            String label, Endpoint local, long claimNs, int streamId, FrameValidator validator, FrameHandler handler) {
        PortClaim claim = claims.claim(label, local, claimNs);
        Inbox inbox = null;
        try {
            inbox = openInbox(
                    new Inbox(label, validator, true, handler, bell, this::onError), channels.udpAt(local), streamId);
            awaitBound(inbox, local);
            inbox.claim(claim);
            claims.bound(claim);
            return inbox;
        } catch (RuntimeException | Error e) {
            if (inbox != null) {
                inbox.close();
            }
            claim.release();
            throw e;
        }
    }

    private Inbox openInbox(Inbox inbox, String channel, int streamId) {
        try {
            Subscription subscription = Uninterrupted.call(
                    () -> aeron.addSubscription(channel, streamId, _ -> {}, inbox::onUnavailableImage));
            try {
                inbox.opened(subscription, counters.inbox(inbox.label(), subscription.registrationId(), streamId));
            } catch (RuntimeException e) {
                subscription.close();
                throw e;
            }
            return inbox;
        } catch (AeronException | IllegalStateException e) {
            throw AeronErrors.refused("inbox " + inbox.label(), channel, context.directory, e);
        }
    }

    private void awaitBound(Inbox inbox, Endpoint local) {
        SleepingIdleStrategy idle = new SleepingIdleStrategy(TimeUnit.MICROSECONDS.toNanos(100));
        long start = System.nanoTime();
        while (inbox.endpoint() == null) {
            if (aeron.isClosed()) {
                MessagingException lost = failure();
                throw lost != null
                        ? lost
                        : new MessagingException(
                                "the transport was closed before inbox " + inbox.label() + " was bound to " + local);
            }
            invoke();
            if (System.nanoTime() - start > context.driverTimeoutNs) {
                throw new MessagingException("inbox " + inbox.label() + " was not bound to " + local + " within "
                        + TimeUnit.NANOSECONDS.toMillis(context.driverTimeoutNs) + " ms");
            }
            idle.idle();
        }
    }

    /** The channels that links and inboxes of this transport use. */
    public Channels channels() {
        return channels;
    }

    /**
     * A key of the driver, equal for processes that reach each other by shared memory. See {@link
     * Driver#hostKey(Path)}.
     */
    public String hostKey() {
        return hostKey;
    }

    /** Aeron's client. */
    public Aeron aeron() {
        return aeron;
    }

    /** The log in which the errors of this process are recorded for other processes to read. */
    public ErrorLog errorLog() {
        return errorLog;
    }

    /** Records an error and calls the context's handler. It is the error handler of this process's agents. */
    public void onError(Throwable error) {
        errorLog.record(error);
        context.errorHandler.onError(error);
    }

    /**
     * Reports an error that does not end the transport.
     *
     * @param sentence sentence that names the object and its error
     */
    public void report(String sentence) {
        onError(new MessagingException(sentence));
    }

    /** The counters of the links, inboxes, agents and nodes of this process. */
    public Counters counters() {
        return counters;
    }

    /**
     * Runs one duty cycle of Aeron's client conductor if {@link Context#conductorInvoked} is set; otherwise does
     * nothing. Without a call every few hundred milliseconds the driver declares this client dead. The thread may be
     * interrupted.
     *
     * @return amount of work done.
     */
    public int invoke() {
        return conductor == null ? 0 : conductor.invoke();
    }

    /**
     * Whether the driver's heartbeat is late. Then no frames arrive, and the silence of a peer proves nothing. It is
     * known before {@link Context#driverTimeoutNs} expires and {@link #failure()} reports it. For any thread.
     */
    public boolean isDriverSilent() {
        return pulse.isMissed();
    }

    /**
     * Whether the connection has ended: this process closed it, or the driver ended. The conductor closes the links and
     * inboxes just after that.
     */
    public boolean isClosed() {
        return aeron.isClosed();
    }

    /**
     * The reason why the connection ended without being closed.
     *
     * @return an exception with one sentence, or null.
     */
    public MessagingException failure() {
        Throwable cause = failure.get();
        return cause == null ? null : AeronErrors.lost(context.directory, cause);
    }

    /**
     * The idle strategy of a thread that polls inboxes and offers to links of this transport, and waits for nothing
     * inside its process: if the driver has a bell, the thread sleeps until there is something to do.
     *
     * @param strategy if the driver has no bell; a strategy that does not back off is kept in any case.
     * @return the strategy for that one thread; a {@link NodeIdle} if it waits for a bell.
     */
    public IdleStrategy idleOnBell(IdleStrategy strategy) {
        return NodeIdle.on(bell, strategy);
    }

    /** Closes all links and inboxes, then the connection. No thread may use them at the same time. */
    @Override
    public synchronized void close() {
        // Released first, so that another process can use the ports even before the driver detects the end.
        claims.release();
        if (conductor == null) {
            Uninterrupted.run(aeron::close);
        } else { // close on this thread: it may hold the conductor's lock, on which another thread would block
            aeron.close();
        }
        bell.close();
    }

    /** Settings of a transport. Defaults come from system properties {@code sluice.*}. */
    public static final class Context {
        private Path directory = RunningDriver.defaultDirectory();
        private Channels channels;
        private ErrorHandler errorHandler = error -> {};
        private long driverTimeoutNs = Settings.duration("sluice.driver.timeout", TimeUnit.SECONDS.toNanos(10));
        private long conductorSleepNs = Settings.duration("sluice.conductor.sleep", TimeUnit.MILLISECONDS.toNanos(2));
        private boolean conductorInvoked;
        private boolean verifySharedMemory = Settings.flag("sluice.ipc.verify", false);
        private final long slowCycleNs =
                Settings.duration("sluice.cycle.threshold", TimeUnit.MILLISECONDS.toNanos(100));

        /** Creates settings with the defaults from system properties. */
        public Context() {}

        void conclude() {
            Settings.present("directory", directory);
            Settings.present("errorHandler", errorHandler);
            Settings.inRange(
                    "driverTimeoutNs", driverTimeoutNs, TimeUnit.SECONDS.toNanos(2), TimeUnit.MINUTES.toNanos(5));
            Settings.inRange("conductorSleepNs", conductorSleepNs, 1_000, TimeUnit.MILLISECONDS.toNanos(100));
            if (channels == null) {
                channels = new Channels();
            }
        }

        /** The driver's directory. */
        public Context directory(Path path) {
            directory = path;
            return this;
        }

        public Path directory() {
            return directory;
        }

        /** Sets the channels; by default they have the default settings. */
        public Context channels(Channels tuned) {
            channels = tuned;
            return this;
        }

        /**
         * Sets the handler of Aeron's errors, which the conductor's thread calls, once with {@link
         * Transport#failure()}; it must not block.
         */
        public Context errorHandler(ErrorHandler handler) {
            errorHandler = handler;
            return this;
        }

        /**
         * Sets the silence of the driver in nanoseconds after which it counts as dead although its process runs or is
         * not visible; 2 s to 5 min. The end of a visible process is detected within 3 s. A driver that this process
         * runs may be silent for its {@link Driver.Context#clientLivenessNs} at least.
         */
        public Context driverTimeoutNs(long ns) {
            driverTimeoutNs = ns;
            return this;
        }

        public long driverTimeoutNs() {
            return driverTimeoutNs;
        }

        /** Sets how long the conductor sleeps between two duty cycles, in nanoseconds, 1 us to 100 ms. */
        public Context conductorSleepNs(long ns) {
            conductorSleepNs = ns;
            return this;
        }

        /** Sets whether Aeron's client conductor has no thread, but works when {@link Transport#invoke()} is called. */
        public Context conductorInvoked(boolean invoked) {
            conductorInvoked = invoked;
            return this;
        }

        public boolean conductorInvoked() {
            return conductorInvoked;
        }

        /**
         * Sets whether inboxes also verify the checksums of frames from shared memory; those of frames over UDP are
         * always verified. Only a program or the memory itself can damage such frames: for debugging.
         */
        public Context verifySharedMemory(boolean verify) {
            verifySharedMemory = verify;
            return this;
        }

        public boolean verifySharedMemory() {
            return verifySharedMemory;
        }
    }
}
