package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.FlowControl;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.StatusMessageFlyweight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams that always have data share a paced card, whose sender polls them in Aeron's order. */
class PacedRateTest {
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long END_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int VALUES = 64 << 10;
    private static final int HEADERS = 8 + 20 + 14;
    private static final int TERM = 1 << 30;

    private final CountersManager counters = new CountersManager(memory(4 * VALUES), memory(VALUES));

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
    }

    /** A publication of whole datagrams, which Aeron's sender asks for data in each cycle. */
    private final class Stream {
        private final FlowControl flow;
        private final int mtu;
        private long position;
        private long limit;

        Stream(LinkFlowControls flows, int mtu, int session) {
            this.mtu = mtu;
            UdpChannel channel =
                    UdpChannel.parse("aeron:udp?endpoint=127.0.0.1:9|" + LinkFlowControls.PACED + "=true|mtu=" + mtu);
            flow = flows.newInstance(channel, 1, session);
            flow.initialize(new MediaDriver.Context(), counters, channel, 1, session, session, 0, TERM);
            StatusMessageFlyweight status = new StatusMessageFlyweight(memory(StatusMessageFlyweight.HEADER_LENGTH));
            status.consumptionTermId(0).consumptionTermOffset(0).receiverWindowLength(TERM);
            limit = flow.onStatusMessage(status, null, 0, 0, 30, 0);
        }

        void poll(long nowNs) {
            long sent = (limit - position) / mtu * mtu;
            position += sent;
            if (sent == 0) {
                limit = flow.onIdle(nowNs, limit, position, false);
            }
        }

        double bits() {
            return 8.0 * position / mtu * (mtu + HEADERS);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10000000, 1408",
        "10000000, 8896",
        "30000000, 8896",
        "50000000, 8896",
        "100000000, 8896",
        "1000000000, 1408"
    })
    void theRateIsReachedAndSharedEqually(long rate, int mtu) {
        for (int count = 2; count <= 5; count++) {
            LinkFlowControls flows = new LinkFlowControls(rate, true);
            List<Stream> streams = new ArrayList<>();
            for (int session = 0; session < count; session++) {
                streams.add(new Stream(flows, mtu, session));
            }
            int start = 0;
            for (long now = 0; now < END_NS; now += POLL_NS) {
                for (int i = 0; i < count; i++) {
                    streams.get((start % count + i) % count).poll(now);
                }
                start = (start + 1) % (count + 1); // the first stream begins two cycles of count + 1
            }
            double granted = 8.0 * count * mtu; // a datagram of each stream may be granted and not sent
            requireEqualShares(streams, 1.05 * rate * END_NS / 1e9 - granted);
        }
    }

    private static void requireEqualShares(List<Stream> streams, double offered) {
        double[] bits = streams.stream().mapToDouble(Stream::bits).toArray();
        double all = Arrays.stream(bits).sum();
        assertTrue(all >= 0.99 * offered, () -> all + " of " + offered + " bits");
        for (double share : bits) {
            assertTrue(share >= 0.95 * all / bits.length, () -> Arrays.toString(bits) + " of " + all);
        }
    }
}
