package io.sluice.perf.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LinkTraffic;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * What a trial took beside time. Bytes are those of Ethernet frames, as the kernel counts them where the rate is kept.
 *
 * @param cpuSeconds     of this process, in which all nodes and media drivers are
 * @param maxUplinkBytes that one host has sent
 * @param wireBytes      that all hosts have sent
 * @param dropped        packets that links had no room for
 * @param perSend        datagrams that media drivers have sent with one call, on average; NaN where none is of ours
 */
public record Cost(double cpuSeconds, long maxUplinkBytes, long wireBytes, long dropped, double perSend) {
    private static final double NS = 1e9;

    /** The same where no media driver is ours. */
    public Cost(double cpuSeconds, long maxUplinkBytes, long wireBytes, long dropped) {
        this(cpuSeconds, maxUplinkBytes, wireBytes, dropped, Double.NaN);
    }

    /**
     * Leads the nodes through trials, and reads the counters before and behind each. Each node waits four times: when
     * it is ready, and nothing of it on its way any more; until it may begin; when it has ended; and until the
     * counters are read.
     *
     * @param trials     how many
     * @param lab        with their links
     * @param rendezvous where they wait
     * @return what each took; fewer if a node fails, whose result gives the reason
     * @throws InterruptedException if interrupted
     */
    public static List<Cost> ofTrials(int trials, Lab lab, Rendezvous rendezvous) throws InterruptedException {
        return ofTrials(trials, lab::traffic, () -> DatagramUse.NONE, rendezvous);
    }

    /** The same with the datagrams of media drivers, and where links are others, or none. */
    static List<Cost> ofTrials(
            int trials, Supplier<List<LinkTraffic>> links, Supplier<DatagramUse> datagrams, Rendezvous rendezvous)
            throws InterruptedException {
        List<Cost> costs = new ArrayList<>();
        try {
            while (costs.size() < trials) {
                costs.add(ofTrial(links, datagrams, rendezvous));
            }
        } catch (CancellationException e) {
            // The result of the failed node gives the reason.
        }
        return costs;
    }

    private static Cost ofTrial(
            Supplier<List<LinkTraffic>> links, Supplier<DatagramUse> datagrams, Rendezvous rendezvous)
            throws InterruptedException {
        rendezvous.await();
        DatagramUse sent = datagrams.get();
        LinkUse before = LinkUse.of(links.get());
        long cpuNs = cpuNs();
        rendezvous.await();
        rendezvous.await();
        double cpuSeconds = (cpuNs() - cpuNs) / NS;
        LinkUse use = LinkUse.of(links.get()).since(before);
        double perSend = datagrams.get().perSendSince(sent);
        rendezvous.await();
        return new Cost(cpuSeconds, use.most(), use.together(), use.dropped(), perSend);
    }

    /** Adds these figures to a sample. */
    public Sample addTo(Sample sample) {
        if (!Double.isNaN(perSend)) {
            sample.figure("datagrams_per_send", perSend);
        }
        return sample.figure("cpu_seconds", cpuSeconds)
                .figure("max_uplink_bytes", maxUplinkBytes)
                .figure("bytes_on_wire", wireBytes)
                .figure("dropped", dropped);
    }

    /** The same but for processor time, of those whose nodes are no threads of this process. */
    public Cost withCpuSeconds(double seconds) {
        return new Cost(seconds, maxUplinkBytes, wireBytes, dropped, perSend);
    }

    private static long cpuNs() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getProcessCpuTime();
    }
}
