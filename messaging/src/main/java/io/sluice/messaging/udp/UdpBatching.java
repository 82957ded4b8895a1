package io.sluice.messaging.udp;

import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ext.LossGenerator;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.messaging.idle.Sockets;
import java.util.function.Supplier;

/**
 * The UDP batching of one media driver: its mode is chosen before it starts, and its endpoints are supplied to Aeron.
 */
public final class UdpBatching {
    private static final LossGenerator NO_LOSS = (address, buffer, length) -> false;

    private final BatchMode choice;
    private final Supplier<SocketCalls> calls;
    private final Supplier<LossGenerator> loss;
    private final Sockets sendingSockets = new Sockets();
    private final Sockets receivingSockets = new Sockets();
    private MediaDriver.Context context;
    private UdpCounters counters;
    private SenderResources sender;
    private TrainReceiver receiver;
    private BatchSockets sockets;
    private SenderTurns turns;

    private UdpBatching(BatchMode choice, Supplier<SocketCalls> calls, Supplier<LossGenerator> loss) {
        this.choice = choice;
        this.calls = calls;
        this.loss = loss;
    }

    /**
     * Chooses the batching mode of a driver.
     *
     * @param wanted mode that the user has chosen
     * @param loss makes the generator that drops an endpoint's data datagrams, for tests; null for none
     * @return batches to {@link #applyTo apply} to one driver
     * @throws MessagingException if the machine does not support the mode
     */
    public static UdpBatching choose(UdpBatch wanted, Supplier<LossGenerator> loss) {
        return choose(wanted, LinuxSockets::new, loss);
    }

    static UdpBatching choose(UdpBatch wanted, Supplier<SocketCalls> calls, Supplier<LossGenerator> loss) {
        return new UdpBatching(BatchMode.choose(wanted, calls), calls, loss);
    }

    /** The chosen mode; not {@link UdpBatch#AUTO}. */
    public UdpBatch mode() {
        return choice.mode();
    }

    /** The sockets of publications. */
    public Sockets sending() {
        return sendingSockets;
    }

    /** The sockets of subscriptions. */
    public Sockets receiving() {
        return receivingSockets;
    }

    /** The reason why the machine supports no better mode; null if it supports all modes, or the user chose. */
    public String reason() {
        return choice.reason();
    }

    /**
     * Makes a driver use the batches.
     *
     * @param driver settings of the driver, not concluded yet
     */
    public void applyTo(MediaDriver.Context driver) {
        context = driver;
        driver.useConcurrentCountersManager(true); // the thread that launches the driver adds the counters
        if (mode() != UdpBatch.OFF) {
            turns = new SenderTurns(driver);
            sockets = new BatchSockets(calls.get(), mode() == UdpBatch.GSO);
            driver.senderDutyCycleTracker(turns)
                    .sendChannelEndpointSupplier((channel, status, its) ->
                            new BatchingSendEndpoint(channel, status, its, senderResources(), sockets, sendingSockets))
                    .receiveChannelEndpointSupplier((channel, dispatcher, status, its) -> new BatchingReceiveEndpoint(
                            channel,
                            dispatcher,
                            status,
                            its,
                            generator(),
                            NO_LOSS,
                            trainReceiver(),
                            sockets,
                            receivingSockets));
        } else {
            if (System.getProperty(Configuration.SEND_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME) == null) {
                driver.sendChannelEndpointSupplier(AnsweringSendEndpoint::new);
            }
            if (loss != null || System.getProperty(Configuration.RECEIVE_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME) == null) {
                driver.receiveChannelEndpointSupplier((channel, dispatcher, status, its) ->
                        new AskingReceiveEndpoint(channel, dispatcher, status, its, generator(), NO_LOSS));
            }
        }
    }

    private LossGenerator generator() {
        return loss == null ? NO_LOSS : loss.get();
    }

    /** Adds the counters, once the driver is concluded; later calls do nothing. */
    public synchronized void count() {
        if (counters == null) {
            counters = new UdpCounters(context.countersManager(), mode());
        }
    }

    private synchronized SenderResources senderResources() {
        count();
        if (sender == null) {
            sender = new SenderResources(calls.get(), turns, counters);
        }
        return sender;
    }

    private synchronized TrainReceiver trainReceiver() {
        count();
        if (receiver == null) {
            receiver = new TrainReceiver(calls.get(), counters);
        }
        return receiver;
    }
}
