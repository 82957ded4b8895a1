package io.sluice.perf.shared;

import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.nodes.NodeProcess;
import java.util.List;

/**
 * The traffic of the job so far, as counted by its media drivers, and its losses.
 *
 * @param bytes bytes sent by all drivers, with retransmissions, without the headers of UDP and below
 * @param retransmitted part of these bytes that was retransmitted
 * @param dropped       packets dropped by full queues of the lab, those of cross traffic included
 * @param leastRate     lowest current estimate of the job's links, bits per second; 0 if none is known
 */
record Traffic(long bytes, long retransmitted, long dropped, long leastRate) {
    /**
     * Reads the counters.
     *
     * @param lab   lab with the queues
     * @param hosts hosts of the job
     */
    static Traffic read(Lab lab, List<Host> hosts) {
        long bytes = 0;
        long retransmitted = 0;
        long least = Long.MAX_VALUE;
        for (Host host : hosts) {
            try (DriverView view = DriverView.open(NodeProcess.driverOf(host))) {
                CounterReading reading = view.read();
                bytes += reading.system(AeronCounters.SYSTEM_COUNTER_ID_BYTES_SENT);
                retransmitted += reading.system(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITTED_BYTES);
                least = Math.min(
                        least,
                        reading.entries().stream()
                                .filter(entry -> entry.type() == CounterType.LINK_RATE)
                                .mapToLong(Entry::value)
                                .filter(rate -> rate > 0)
                                .min()
                                .orElse(least));
            }
        }
        long dropped = lab.traffic().stream()
                .mapToLong(link -> link.up().dropped() + link.down().dropped())
                .sum();
        return new Traffic(bytes, retransmitted, dropped, least == Long.MAX_VALUE ? 0 : least * Byte.SIZE);
    }

    /** The traffic since an earlier reading; the rate is the later one. */
    Traffic since(Traffic other) {
        return new Traffic(
                bytes - other.bytes, retransmitted - other.retransmitted, dropped - other.dropped, leastRate);
    }
}
