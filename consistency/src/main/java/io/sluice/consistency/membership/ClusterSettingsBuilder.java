package io.sluice.consistency.membership;

/**
 * Puts {@link ClusterSettings} together. Every setting has a default, which the system property
 * {@code sluice.<setting>} overrides, and a setter, which overrides that. {@link #build()} checks them.
 */
public final class ClusterSettingsBuilder {
    /** The longest slice whose dense frame travels in one 64 KiB datagram: 64 bytes and 16,320 floats. */
    public static final int DEFAULT_SLICE_ELEMENTS = 16_320;

    private int servers = Integer.getInteger("sluice.servers", 1);
    private int workers = Integer.getInteger("sluice.workers", 1);
    private Protocol protocol = choice(Protocol.class, "protocol", Protocol.UPDATE);
    private String consistency = System.getProperty("sluice.consistency", "bsp");
    private FilterKind filter = choice(FilterKind.class, "filter", FilterKind.DVF);
    private double delta = Double.parseDouble(System.getProperty("sluice.delta", "0.1"));
    private String compressor = System.getProperty("sluice.compressor", "none");
    private TransportKind transport = choice(TransportKind.class, "transport", TransportKind.IPC);
    private PlacementKind placement = choice(PlacementKind.class, "placement", PlacementKind.UNIFORM);
    private int sliceElements = Integer.getInteger("sluice.slice.elements", DEFAULT_SLICE_ELEMENTS);
    private int heartbeatMs = Integer.getInteger("sluice.heartbeat.ms", 250);
    private int livenessMs = Integer.getInteger("sluice.liveness.ms", 2_500);

    ClusterSettingsBuilder() {}

    /** Sets the number of servers; 1 by default. */
    public ClusterSettingsBuilder servers(int value) {
        servers = value;
        return this;
    }

    /** Sets the number of workers; 1 by default. */
    public ClusterSettingsBuilder workers(int value) {
        workers = value;
        return this;
    }

    /** Sets what travels; updates by default. */
    public ClusterSettingsBuilder protocol(Protocol value) {
        protocol = value;
        return this;
    }

    /** Names the consistency rule: {@code bsp} (the default), {@code ssp:S} or {@code tap}. */
    public ClusterSettingsBuilder consistency(String value) {
        consistency = value;
        return this;
    }

    /** Sets which updates travel; those above the DVF's threshold by default. */
    public ClusterSettingsBuilder filter(FilterKind value) {
        filter = value;
        return this;
    }

    /** Sets the initial threshold, in units of the parameters; 0.1 by default, which fits few models but the sample. */
    public ClusterSettingsBuilder delta(double value) {
        delta = value;
        return this;
    }

    /** Names the compressor: {@code none} (the default), {@code lz4} or {@code snappy}. */
    public ClusterSettingsBuilder compressor(String value) {
        compressor = value;
        return this;
    }

    /** Sets how peers reach one another; by shared memory within a host by default. */
    public ClusterSettingsBuilder transport(TransportKind value) {
        transport = value;
        return this;
    }

    /** Sets how slices are spread; uniformly by default. */
    public ClusterSettingsBuilder placement(PlacementKind value) {
        placement = value;
        return this;
    }

    /** Sets the floats of a slice, 1 to 65,536; {@value #DEFAULT_SLICE_ELEMENTS} by default. */
    public ClusterSettingsBuilder sliceElements(int value) {
        sliceElements = value;
        return this;
    }

    /** Sets the interval between heartbeats in milliseconds; 250 by default. */
    public ClusterSettingsBuilder heartbeatMs(int value) {
        heartbeatMs = value;
        return this;
    }

    /** Sets the silence after which a node is lost, in milliseconds; 2,500 by default. */
    public ClusterSettingsBuilder livenessMs(int value) {
        livenessMs = value;
        return this;
    }

    /**
     * Checks the settings.
     *
     * @return the settings
     * @throws IllegalArgumentException naming the setting, its value and the range
     */
    public ClusterSettings build() {
        return new ClusterSettings(
                servers,
                workers,
                protocol,
                consistency,
                filter,
                delta,
                compressor,
                transport,
                placement,
                sliceElements,
                heartbeatMs,
                livenessMs);
    }

    private static <E extends Enum<E> & Choice> E choice(Class<E> type, String setting, E byDefault) {
        return Choice.named(type, "sluice." + setting, System.getProperty("sluice." + setting, byDefault.word()));
    }
}
