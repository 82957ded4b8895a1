package io.sluice.perf.cluster;

import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.util.List;

/**
 * What media drivers have sent.
 *
 * @param datagrams how many
 * @param sends     system calls that have sent them
 * @param retransmitted bytes sent again
 */
record DatagramUse(long datagrams, long sends, long retransmitted) {
    /** Without a driver. */
    static final DatagramUse NONE = new DatagramUse(-1, 0, 0);

    /** Of drivers so far. */
    static DatagramUse of(List<DriverView> drivers) {
        List<CounterReading> readings = drivers.stream().map(DriverView::read).toList();
        return new DatagramUse(
                readings.stream()
                        .mapToLong(reading -> reading.sum(CounterType.DRIVER_DATAGRAMS_SENT))
                        .sum(),
                readings.stream()
                        .mapToLong(reading -> reading.sum(CounterType.DRIVER_SENDS))
                        .sum(),
                readings.stream()
                        .mapToLong(reading -> reading.system(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITTED_BYTES))
                        .sum());
    }

    /** Datagrams of a call since an earlier reading; 1 where Aeron sends and does not count, NaN without a driver. */
    double perSendSince(DatagramUse earlier) {
        if (datagrams < 0) {
            return Double.NaN;
        }
        return sends == earlier.sends ? 1 : (double) (datagrams - earlier.datagrams) / (sends - earlier.sends);
    }
}
