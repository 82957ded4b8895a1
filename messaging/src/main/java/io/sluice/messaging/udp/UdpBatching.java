package io.sluice.messaging.udp;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ext.DebugReceiveChannelEndpoint;
import io.aeron.driver.ext.LossGenerator;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.util.function.Supplier;

/**
 * The batches of one media driver: chosen before it starts, and then supplied to Aeron as the endpoints of its
 * channels.
 */
public final class UdpBatching {
    private static final LossGenerator NO_LOSS = (address, buffer, length) -> false;

    private final Ladder ladder;
    private final Supplier<SocketCalls> calls;
    private final Supplier<LossGenerator> loss;
    private MediaDriver.Context context;
    private UdpCounters counters;
    private SenderResources sending;
    private TrainReceiver receiving;
    private BatchSockets sockets;
    private SenderTurns turns;

    private UdpBatching(Ladder ladder, Supplier<SocketCalls> calls, Supplier<LossGenerator> loss) {
        this.ladder = ladder;
        this.calls = calls;
        this.loss = loss;
    }

    /**
     * Chooses the rung of a driver.
     *
     * @param wanted rung that the user wants
     * @param loss makes the generator that drops an endpoint's data datagrams, for tests; null for none
     * @return batches to {@link #applyTo apply} to one driver
     * @throws MessagingException if the machine does not support the rung
     */
    public static UdpBatching choose(UdpBatch wanted, Supplier<LossGenerator> loss) {
        return choose(wanted, LinuxSockets::new, loss);
    }

    static UdpBatching choose(UdpBatch wanted, Supplier<SocketCalls> calls, Supplier<LossGenerator> loss) {
        return new UdpBatching(Ladder.choose(wanted, calls), calls, loss);
    }

    /** The chosen rung; not {@link UdpBatch#AUTO}. */
    public UdpBatch rung() {
        return ladder.rung();
    }

    /** The reason why the machine has no better rung; null if it has all rungs, or the user chose. */
    public String reason() {
        return ladder.reason();
    }

    /**
     * Makes a driver use the batches.
     *
     * @param driver settings of the driver, not concluded yet
     */
    public void applyTo(MediaDriver.Context driver) {
        context = driver;
        driver.useConcurrentCountersManager(true); // the thread that launches the driver adds the counters
        if (rung() != UdpBatch.OFF) {
            turns = new SenderTurns(driver);
            sockets = new BatchSockets(calls.get(), rung() == UdpBatch.GSO);
            driver.senderDutyCycleTracker(turns)
                    .sendChannelEndpointSupplier((channel, status, its) ->
                            new BatchingSendEndpoint(channel, status, its, sending(), sockets))
                    .receiveChannelEndpointSupplier((channel, dispatcher, status, its) -> new BatchingReceiveEndpoint(
                            channel, dispatcher, status, its, generator(), NO_LOSS, receiving(), sockets));
        } else if (loss != null) {
            driver.receiveChannelEndpointSupplier((channel, dispatcher, status, its) ->
                    new DebugReceiveChannelEndpoint(channel, dispatcher, status, its, generator(), NO_LOSS));
        }
    }

    private LossGenerator generator() {
        return loss == null ? NO_LOSS : loss.get();
    }

    /** Adds the counters, once the driver is concluded; later calls do nothing. */
    public synchronized void count() {
        if (counters == null) {
            counters = new UdpCounters(context.countersManager(), rung());
        }
    }

    private synchronized SenderResources sending() {
        count();
        if (sending == null) {
            sending = new SenderResources(calls.get(), turns, counters);
        }
        return sending;
    }

    private synchronized TrainReceiver receiving() {
        count();
        if (receiving == null) {
            receiving = new TrainReceiver(calls.get(), counters);
        }
        return receiving;
    }
}
