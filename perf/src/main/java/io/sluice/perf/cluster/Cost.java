package io.sluice.perf.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Columns;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.lab.Lab;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The resources that a trial used. Bytes are those of Ethernet frames, as the kernel's rate limiter counts them.
 *
 * @param cpuSeconds     processor time of this process, which contains all nodes and media drivers
 * @param maxUplinkBytes bytes sent by the host that sent most
 * @param perSend        mean number of datagrams that a media driver sent with one system call; NaN if no media driver
 *                       is one of Sluice
 */
public record Cost(
        double cpuSeconds, long maxUplinkBytes, long wireBytes, long dropped, long retransmitted, double perSend) {
    private static final double NS = 1e9;

    /** A cost without media drivers of Sluice. */
    public Cost(double cpuSeconds, long maxUplinkBytes, long wireBytes, long dropped) {
        this(cpuSeconds, maxUplinkBytes, wireBytes, dropped, 0, Double.NaN);
    }

    /**
     * Runs trials over the links of a lab and reads the counters before and after each. In each trial all nodes wait
     * for each other at four barriers: when each is ready and has no frame in flight; before they begin; after they
     * end; and after the counters are read.
     *
     * @return the cost of each trial; fewer than {@code trials} if a node fails, whose result gives the reason
     */
    public static List<Cost> ofTrials(int trials, Lab lab, Rendezvous rendezvous) throws InterruptedException {
        return ofTrials(trials, () -> Usage.of(lab.traffic(), List.of()), rendezvous, _ -> {});
    }

    /** Runs trials with any links; {@code ready} is called before each, with its number, when all nodes are ready. */
    static List<Cost> ofTrials(int trials, Supplier<Usage> usage, Rendezvous rendezvous, IntConsumer ready)
            throws InterruptedException {
        List<Cost> costs = new ArrayList<>();
        try {
            while (costs.size() < trials) {
                rendezvous.await();
                ready.accept(costs.size());
                Usage before = usage.get();
                long cpuNs = cpuNs();
                rendezvous.await();
                rendezvous.await();
                double cpuSeconds = (cpuNs() - cpuNs) / NS;
                Usage use = usage.get().since(before);
                rendezvous.await();
                costs.add(new Cost(
                        cpuSeconds, use.mostUp(), use.allUp(), use.dropped(), use.retransmitted(), use.perSend()));
            }
        } catch (CancellationException e) {
            // The result of the failed node gives the reason.
        }
        return costs;
    }

    /** Columns for the effects of networks on a trial. */
    public static Columns columns() {
        return Columns.of(
                Column.median("datagrams_per_send")
                        .shown("per send", "%.1f")
                        .note("datagrams that media drivers sent with one system call"),
                Column.sum("dropped").whole().shown("dropped", "%,.0f"),
                Column.median("retransmitted")
                        .whole()
                        .shown("again MB", "%.2f", 1e-6)
                        .note("bytes that media drivers have sent again"));
    }

    /** Adds these figures to a sample. */
    public Sample addTo(Sample sample) {
        if (!Double.isNaN(perSend)) {
            sample.figure("datagrams_per_send", perSend);
            sample.figure("retransmitted", retransmitted);
        }
        return sample.figure("cpu_seconds", cpuSeconds)
                .figure("max_uplink_bytes", maxUplinkBytes)
                .figure("bytes_on_wire", wireBytes)
                .figure("dropped", dropped);
    }

    /** The same cost with another processor time, for nodes that are not threads of this process. */
    public Cost withCpuSeconds(double seconds) {
        return new Cost(seconds, maxUplinkBytes, wireBytes, dropped, retransmitted, perSend);
    }

    /** Processor time of this process until now. */
    public static long cpuNs() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
