package io.sluice.codecs;

/**
 * How many bytes of payloads a thread has decoded: counted where a payload is opened, whoever asks for that. A thread
 * that only passes frames on has 0, and would not if it ever looked behind a header.
 *
 * <p>Each thread has its own. Allocates nothing after a thread has asked first.
 */
public final class DecodedBytes {
    private static final ThreadLocal<DecodedBytes> OF_THREAD = ThreadLocal.withInitial(DecodedBytes::new);

    private long bytes;

    private DecodedBytes() {}

    /** What the calling thread has decoded, to be read by that thread alone. */
    public static DecodedBytes ofThisThread() {
        return OF_THREAD.get();
    }

    /** A payload of this length, as it came, is about to be read. */
    void add(int payloadLength) {
        bytes += payloadLength;
    }

    /**
     * All payloads so far, sound or not.
     *
     * @return bytes, as they came: of compressed payloads the compressed ones
     */
    public long get() {
        return bytes;
    }
}
