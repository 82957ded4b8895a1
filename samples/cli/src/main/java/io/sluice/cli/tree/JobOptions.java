package io.sluice.cli.tree;

import io.sluice.messaging.ByteSize;
import io.sluice.messaging.Latency;
import io.sluice.messaging.LinkRate;
import io.sluice.tree.planning.Placement;
import io.sluice.tree.planning.RackNetwork;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import io.sluice.tree.topology.TopologyFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The data to broadcast, and the network. */
final class JobOptions {
    private static final int MOST_NODES = 100_000;
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_FRAME = 1 << 30;

    @Option(
            names = "--topology",
            paramLabel = "FILE",
            description = "Network, in YAML; docs/reference.md has the format. Without it, one switch.")
    private Path file;

    @Option(
            names = {"--nodes", "--workers"},
            paramLabel = "N",
            description = "Workers (8, or those that the topology file places).")
    private Integer workers;

    @Option(
            names = "--servers",
            paramLabel = "P",
            description = "Servers, each with an equal shard (2, or those that the topology file places).")
    private Integer servers;

    @Option(
            names = "--bytes",
            paramLabel = "BYTES",
            defaultValue = "64MiB",
            description = "Bytes of a broadcast, all servers together (${DEFAULT-VALUE}).")
    private String bytes;

    @Option(
            names = "--frame",
            paramLabel = "BYTES",
            defaultValue = "64KiB",
            description =
                    "Bytes of a frame, which a relay receives as a whole before it forwards it (${DEFAULT-VALUE}).")
    private String frame;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Without --topology: rate of each host's link (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            defaultValue = "50us",
            description = "Without --topology: latency from host to host (${DEFAULT-VALUE}).")
    private String latency;

    @Option(
            names = "--broadcasts-only",
            description =
                    "Plan as if no worker pushed. A job plans for pushes, too: while servers broadcast, each worker"
                            + " pushes as many bytes as it receives.")
    private boolean broadcastsOnly;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of randomised strategies (${DEFAULT-VALUE}).")
    private long seed;

    /** The job. */
    BroadcastJob job() throws IOException {
        TopologyFile read = file == null ? null : TopologyFile.read(file);
        int workerCount = count("--workers (--nodes)", workers, read == null ? List.of() : read.workers(), 8);
        int serverCount = count("--servers", servers, read == null ? List.of() : read.servers(), 2);
        long total = ByteSize.parse("--bytes", bytes, MOST_BYTES);
        int frameBytes = (int) ByteSize.parse("--frame", frame, MOST_FRAME);
        if (total < serverCount) {
            throw new IllegalArgumentException(
                    "--bytes is " + total + ", expected one or more for each of " + serverCount + " servers");
        }
        Topology topology = read != null
                ? read.topology()
                : RackNetwork.oneSwitch(
                        Math.min(workerCount + serverCount, Topology.MOST_HOSTS),
                        LinkRate.parse("--rate", rate) / (double) Byte.SIZE,
                        Latency.parse("--latency", latency));
        Placement placement = Placement.spread(topology, serverCount, workerCount);
        boolean placesServers =
                read != null && servers == null && !read.servers().isEmpty();
        boolean placesWorkers =
                read != null && workers == null && !read.workers().isEmpty();
        BroadcastJob broadcasts = new BroadcastJob(
                topology,
                placesServers ? numbers(read.servers()) : placement.servers(),
                placesWorkers ? numbers(read.workers()) : placement.workers(),
                Placement.shards(total, serverCount),
                frameBytes,
                seed);
        return broadcastsOnly ? broadcasts : broadcasts.withPushes();
    }

    private static int[] numbers(List<Integer> hosts) {
        return hosts.stream().mapToInt(Integer::intValue).toArray();
    }

    private static int count(String option, Integer given, List<Integer> placed, int standard) {
        int count = given != null ? given : placed.isEmpty() ? standard : placed.size();
        if (count < 1 || count > MOST_NODES) {
            throw new IllegalArgumentException(option + " is " + count + ", expected 1 to " + MOST_NODES);
        }
        return count;
    }
}
