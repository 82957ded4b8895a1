package io.sluice.perf.codecs;

import io.sluice.messaging.LinkRate;

/**
 * How fast a link is.
 *
 * @param words as it was named, such as {@code 1gbit}
 * @param bytesPerSecond of payload; headers of the network are not reckoned with
 */
record LinkSpeed(String words, double bytesPerSecond) {
    /** Reads one from the command line. */
    static LinkSpeed parse(String text) {
        long bits = LinkRate.parse("--link", text);
        if (bits < 1) {
            throw new IllegalArgumentException("--link is '" + text + "', expected more than that");
        }
        return new LinkSpeed(text, (double) bits / Byte.SIZE);
    }

    /** Seconds to encode, send and decode one element. */
    double seconds(CodecResult result) {
        return result.encodeSeconds() + wireSeconds(result) + result.decodeSeconds();
    }

    /** Seconds on the wire. */
    double wireSeconds(CodecResult result) {
        return result.bytesPerElement() / bytesPerSecond;
    }
}
