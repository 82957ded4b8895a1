package io.sluice.messaging;

import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.StaticDelayGenerator;
import io.aeron.driver.ThreadingMode;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.flow.LinkFlowControls;
import io.sluice.messaging.flow.SharedWindows;
import io.sluice.messaging.udp.UdpBatching;
import java.nio.file.Path;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Turns the settings of a {@link Driver} into those of Aeron's media driver. */
final class MediaDriverSettings {
    private static final long MAX_SPINS = 10;
    private static final long MAX_YIELDS = 20;
    private static final long MIN_PARK_NS = 1_000;

    /**
     * The multiple of the client timeout for which a receiver keeps a silent stream. Frames in flight when a path
     * breaks are sent again when it heals, if the stream still exists. Otherwise they are lost, and the receiver has to
     * request them if it can; so by then the peer must count as dead, if necessary by decision of a new coordinator.
     */
    private static final int STREAM_LIVES = 3;

    /**
     * Time after which a receiver repeats its request for missing data. Aeron's 0.1 ms takes 7 Mbit/s for each stream.
     */
    private static final long ASK_AGAIN_NS = 5_000_000;

    /**
     * Bytes of the values of counters, 128 for each; labels take four times as much. The driver writes all of them when
     * it starts, half as much as with Aeron's 8 MiB. A link has about 20 counters.
     */
    private static final int COUNTERS_LENGTH = 4 << 20;

    private MediaDriverSettings() {}

    static MediaDriver.Context of(
            Driver.Context context, UdpBatching batching, LinkFlowControls flows, Path directory) {
        ChannelSettings channels = context.channels();
        SocketLimits.Fit fit = SocketLimits.fitOf(channels);
        long livenessNs = context.clientLivenessNs();
        boolean ratesKnown = context.egressRate() > 0;
        MediaDriver.Context aeron = new MediaDriver.Context()
                .errorHandler(context.errorHandler())
                .threadingMode(ThreadingMode.valueOf(context.threading().name()))
                .sharedIdleStrategy(idle(context))
                .sharedNetworkIdleStrategy(idle(context))
                .conductorIdleStrategy(idle(context))
                .senderIdleStrategy(idle(context))
                .receiverIdleStrategy(idle(context))
                .ipcTermBufferLength(channels.ipcTermLength())
                .publicationTermBufferLength(channels.udpTermLength())
                .ipcMtuLength(Math.min(ChannelSettings.MAX_MTU, Channels.maxFrameLength(channels.ipcTermLength())))
                .mtuLength(Channels.mtuOverInterface(Routes.ETHERNET_MTU, false))
                .initialWindowLength(fit.window())
                .socketRcvbufLength(fit.receiveBuffer())
                .socketSndbufLength(fit.sendBuffer())
                .congestControlSupplier(new SharedWindows(!ratesKnown))
                .unicastFlowControlSupplier(flows)
                .publicationLingerTimeoutNs(channels.lingerNs())
                .clientLivenessTimeoutNs(livenessNs)
                .imageLivenessTimeoutNs(STREAM_LIVES * livenessNs)
                .publicationConnectionTimeoutNs(livenessNs)
                // Must exceed the clients' timeout: the open claim of a dead client is freed only after its owner.
                .publicationUnblockTimeoutNs(2 * livenessNs)
                // Otherwise a log has its pages before the first write: see LogSpace.
                .termBufferSparseFile(context.sparseLogs())
                .performStorageChecks(true)
                .warnIfDirectoryExists(false)
                // DriverDirectory has checked that no driver uses it.
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(false);
        if (!ratesKnown) {
            aeron.unicastFeedbackDelayGenerator(
                            new StaticDelayGenerator(Configuration.NAK_UNICAST_DELAY_DEFAULT_NS, ASK_AGAIN_NS))
                    // LinkFlowControl decides when data is sent again
                    .retransmitUnicastLingerNs(0);
        }
        if (System.getProperty(Configuration.COUNTERS_VALUES_BUFFER_LENGTH_PROP_NAME) == null) {
            aeron.counterValuesBufferLength(COUNTERS_LENGTH);
        }
        batching.applyTo(aeron);
        aeron.aeronDirectoryName(directory.toString());
        return aeron;
    }

    private static IdleStrategy idle(Driver.Context context) {
        return new BackoffIdleStrategy(MAX_SPINS, MAX_YIELDS, MIN_PARK_NS, context.idleParkNs());
    }
}
