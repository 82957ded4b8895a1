package io.sluice.perf.cluster;

import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.util.List;

/**
 * The datagrams that media drivers have sent.
 *
 * @param datagrams number of datagrams
 * @param sends     system calls that have sent them
 * @param retransmitted bytes sent again
 */
record DatagramUse(long datagrams, long sends, long retransmitted) {
    /** The use without a driver. */
    static final DatagramUse NONE = new DatagramUse(-1, 0, 0);

    /** Reads the counters of drivers. */
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

    /** Datagrams per call since an earlier reading; 1 if Aeron sends and does not count, NaN without a driver. */
    double perSendSince(DatagramUse earlier) {
        if (datagrams < 0) {
            return Double.NaN;
        }
        return sends == earlier.sends ? 1 : (double) (datagrams - earlier.datagrams) / (sends - earlier.sends);
    }
}
