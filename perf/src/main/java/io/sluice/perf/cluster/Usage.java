package io.sluice.perf.cluster;

import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.perf.lab.LinkTraffic;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The traffic of links and media drivers so far. Bytes of links are those of Ethernet frames, as the kernel's rate
 * limiter counts them; bytes of drivers are without the headers of UDP and below.
 *
 * @param up        bytes from each host into the network, by link
 * @param sent      bytes that drivers have sent, retransmitted bytes included
 * @param datagrams datagrams that drivers of Sluice have sent
 * @param sends     system calls that have sent those datagrams
 * @param leastRate lowest current estimate of a data link's rate, bits per second; 0 if none is known
 */
public record Usage(
        long[] up,
        long dropped,
        int drivers,
        long sent,
        long retransmitted,
        long datagrams,
        long sends,
        long leastRate) {
    static Usage of(List<LinkTraffic> links, List<DriverView> drivers) {
        List<CounterReading> readings = drivers.stream().map(DriverView::read).toList();
        return new Usage(
                links.stream().mapToLong(link -> link.up().bytes()).toArray(),
                links.stream()
                        .mapToLong(link -> link.up().dropped() + link.down().dropped())
                        .sum(),
                drivers.size(),
                sum(readings, reading -> reading.system(AeronCounters.SYSTEM_COUNTER_ID_BYTES_SENT)),
                sum(readings, reading -> reading.system(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITTED_BYTES)),
                sum(readings, reading -> reading.sum(CounterType.DRIVER_DATAGRAMS_SENT)),
                sum(readings, reading -> reading.sum(CounterType.DRIVER_SENDS)),
                Byte.SIZE
                        * readings.stream()
                                .flatMap(reading -> reading.entries().stream())
                                .filter(entry -> entry.type() == CounterType.LINK_RATE && entry.value() > 0)
                                .mapToLong(CounterReading.Entry::value)
                                .min()
                                .orElse(0));
    }

    private static long sum(List<CounterReading> readings, ToLongFunction<CounterReading> of) {
        return readings.stream().mapToLong(of).sum();
    }

    /** The use since an earlier reading; the rate is the later one. */
    public Usage since(Usage earlier) {
        long[] more = new long[up.length];
        Arrays.setAll(more, link -> up[link] - earlier.up[link]);
        return new Usage(
                more,
                dropped - earlier.dropped,
                drivers,
                sent - earlier.sent,
                retransmitted - earlier.retransmitted,
                datagrams - earlier.datagrams,
                sends - earlier.sends,
                leastRate);
    }

    /** Number of bytes of the link that has sent most. */
    long mostUp() {
        return Arrays.stream(up).max().orElse(0);
    }

    long allUp() {
        return Arrays.stream(up).sum();
    }

    /** Datagrams per system call; 1 if Aeron sends and does not count, NaN without a driver. */
    double perSend() {
        if (drivers == 0) {
            return Double.NaN;
        }
        return sends == 0 ? 1 : (double) datagrams / sends;
    }
}
