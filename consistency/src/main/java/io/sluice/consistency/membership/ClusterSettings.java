package io.sluice.consistency.membership;

import io.sluice.codecs.BlockCompressor;
import io.sluice.codecs.BlockCompressors;
import io.sluice.consistency.clock.ConsistencyRule;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.placement.TableSpec;

/**
 * The terms all nodes of a cluster share. The coordinator states them; every other node learns them with its welcome,
 * so they cannot differ.
 *
 * @param servers       number of servers, from 1
 * @param workers       number of workers, from 1
 * @param protocol      what travels
 * @param consistency   name of the {@link ConsistencyRule}
 * @param filter        which updates travel
 * @param delta         initial threshold of the filter, finite and not negative
 * @param compressor    name of the {@link BlockCompressor}
 * @param transport     how peers reach one another
 * @param placement     how slices are spread
 * @param sliceElements floats of a slice, from 1 to 65,536
 * @param heartbeatMs   interval between heartbeats, in milliseconds
 * @param livenessMs    silence after which a node is taken for dead, in milliseconds; at least three heartbeats
 */
public record ClusterSettings(
        int servers,
        int workers,
        Protocol protocol,
        String consistency,
        FilterKind filter,
        double delta,
        String compressor,
        TransportKind transport,
        PlacementKind placement,
        int sliceElements,
        int heartbeatMs,
        int livenessMs) {
    /** Most nodes of a cluster: the welcome, which names them all, has to be one message. */
    public static final int MAX_NODES = 4_096;

    /** Refuses values out of range, naming the setting, its value and the range. */
    public ClusterSettings {
        require(servers >= 1, "servers", servers, "1 or more");
        require(workers >= 1, "workers", workers, "1 or more");
        require(
                (long) servers + workers < MAX_NODES,
                "servers + workers",
                (long) servers + workers,
                "below " + MAX_NODES);
        require(Double.isFinite(delta) && delta >= 0, "delta", delta, "a finite number, 0 or more");
        require(
                sliceElements >= 1 && sliceElements <= TableSpec.MAX_SLICE_ELEMENTS,
                "slice elements",
                sliceElements,
                "1 to " + TableSpec.MAX_SLICE_ELEMENTS);
        require(heartbeatMs >= 10 && heartbeatMs <= 60_000, "heartbeat ms", heartbeatMs, "10 to 60000");
        require(
                livenessMs >= 3 * heartbeatMs && livenessMs <= 600_000,
                "liveness ms",
                livenessMs,
                "three heartbeats (" + 3 * heartbeatMs + ") to 600000");
        ConsistencyRules.named(consistency);
        BlockCompressors.named(compressor);
    }

    /**
     * Settings with their defaults, to be changed one by one.
     *
     * @return a builder
     */
    public static ClusterSettingsBuilder builder() {
        return new ClusterSettingsBuilder();
    }

    /**
     * The rule that {@link #consistency()} names.
     *
     * @return a stateless rule
     */
    public ConsistencyRule rule() {
        return ConsistencyRules.named(consistency);
    }

    /**
     * The compressor that {@link #compressor()} names.
     *
     * @return a compressor for one thread
     */
    public BlockCompressor newCompressor() {
        return BlockCompressors.named(compressor);
    }

    private static void require(boolean sound, String name, Object value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
