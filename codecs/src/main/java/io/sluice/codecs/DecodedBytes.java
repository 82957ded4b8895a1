package io.sluice.codecs;

/**
 * Number of bytes of payloads that a thread has decoded, counted when a payload is opened. For a thread that only
 * relays frames it stays 0, which shows that the thread reads headers only.
 *
 * <p>Each thread has its own instance, allocated by its first call.
 */
public final class DecodedBytes {
    private static final ThreadLocal<DecodedBytes> OF_THREAD = ThreadLocal.withInitial(DecodedBytes::new);

    private long bytes;

    private DecodedBytes() {}

    /** The instance of the calling thread, for that thread only. */
    public static DecodedBytes ofThisThread() {
        return OF_THREAD.get();
    }

    /** Counts a payload, with its length as received. */
    void add(int payloadLength) {
        bytes += payloadLength;
    }

    /**
     * Number of bytes of all payloads so far, sound or not.
     *
     * @return bytes as received, before decompression
     */
    public long get() {
        return bytes;
    }
}
