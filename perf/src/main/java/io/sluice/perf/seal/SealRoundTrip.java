package io.sluice.perf.seal;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.OpeningHandler;
import io.sluice.messaging.Transport;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Sends a frame of 64 bytes to another thread and back over shared memory. Each side writes a new frame, so a round
 * trip of sealed frames has two seals and two openings.
 */
final class SealRoundTrip implements AutoCloseable {
    private static final int THERE = 7_001;
    private static final int BACK = 7_002;
    private static final int WARM_UP = 10_000;
    private static final int SPINS = 1_000;

    private final Driver driver;
    private final Transport transport;
    private final SenderSeals seals = SealedFrame.newSeals();

    private SealRoundTrip(Driver driver, Transport transport) {
        this.driver = driver;
        this.transport = transport;
    }

    /** Launches a media driver of its own. */
    static SealRoundTrip launch() {
        Driver.Context context = new Driver.Context();
        Path parent = context.directory().getParent();
        Path directory = parent.resolve("sluice-" + System.getProperty("user.name") + "-seal-"
                + ProcessHandle.current().pid());
        Driver driver = Driver.launch(context.directory(directory));
        return new SealRoundTrip(driver, Transport.connect(new Transport.Context().directory(directory)));
    }

    /**
     * Measures round trips.
     *
     * @param sealed whether frames are sealed
     * @param trips number of round trips
     * @return nanoseconds of each
     */
    double[] measure(boolean sealed, int trips) throws InterruptedException {
        int total = WARM_UP + trips;
        End far = new End(sealed, THERE, BACK, true);
        End near = new End(sealed, BACK, THERE, false);
        try (far;
                near) {
            far.open();
            near.open();
            Thread echo = Thread.ofPlatform().daemon().name("seal-echo").start(() -> far.await(total));
            double[] ns = new double[trips];
            for (int trip = 1; trip <= total; trip++) {
                long startNs = System.nanoTime();
                near.send();
                near.await(trip);
                if (trip > WARM_UP) {
                    ns[trip - WARM_UP - 1] = System.nanoTime() - startNs;
                }
            }
            echo.join();
            return ns;
        }
    }

    @Override
    public void close() {
        transport.close();
        driver.close();
    }

    /** The end of one of the two threads. */
    private final class End implements AutoCloseable {
        private final Inbox inbox;
        private final FrameSeal seal;
        private final SealedFrame frame = new SealedFrame(Frame.DATA_LENGTH);
        private final int out;
        private final boolean echoes;
        private Link link;
        private int received;

        End(boolean sealed, int in, int out, boolean echoes) {
            this.out = out;
            this.echoes = echoes;
            this.seal = sealed ? seals.newSeal() : FrameSeal.checksumOnly();
            FrameValidator validator = new FrameValidator(SealedFrame.CLUSTER, new FrameChecksum())
                    .sealed(sealed ? SealRule.SEALED : SealRule.OPEN);
            FrameHandler handler = (buffer, offset, length, templateId, session) -> onFrame();
            FrameHandler opening = sealed
                    ? new OpeningHandler(SealedFrame.newOpener(frame.length), handler, rejection -> {
                        throw new IllegalStateException("a frame was refused: " + rejection.explanation());
                    })
                    : handler;
            this.inbox = transport.openIpcInbox("of the measurement", in, validator, opening);
        }

        void open() {
            link = transport.openLink("of the measurement", transport.channels().ipc(), out);
            link.awaitConnected(
                    TimeUnit.SECONDS.toNanos(5), SystemNanoClock.INSTANCE, new SleepingMillisIdleStrategy(1));
        }

        private FrameHandler.Action onFrame() {
            received++;
            if (echoes) {
                send();
            }
            return FrameHandler.Action.CONTINUE;
        }

        void send() {
            int length = frame.finish(seal);
            while (!link.offer(frame.frame.buffer(), 0, length)) {
                Thread.onSpinWait();
            }
        }

        void await(int frames) {
            int spins = 0;
            while (received < frames) {
                if (inbox.poll(1) > 0) {
                    spins = 0;
                } else if (++spins > SPINS) {
                    Thread.yield(); // there may be fewer cores than threads
                    if (Thread.currentThread().isInterrupted()) {
                        throw new UnavailableException("interrupted");
                    }
                }
            }
        }

        @Override
        public void close() {
            inbox.close();
            if (link != null) {
                link.close();
            }
        }
    }
}
