package io.sluice.perf.link;

import java.io.Serializable;
import java.nio.file.Path;

/**
 * What one contestant does.
 *
 * @param mode what is measured
 * @param medium what carries the frames
 * @param frameLength of every frame, in bytes
 * @param stack what sends and receives
 * @param framesPerPass frames of one pass
 * @param rate frames a second, of an open loop
 * @param waiting of sender and receiver
 * @param bound whether sender and receiver each have one core; never in a JVM that does other things, too
 * @param stream id of the stream there; the one back is one above
 * @param driver directory of the media driver
 */
record LinkTrial(
        LinkMode mode,
        LinkMedium medium,
        int frameLength,
        LinkStack stack,
        int framesPerPass,
        double rate,
        Waiting waiting,
        boolean bound,
        int stream,
        String driver)
        implements Serializable {
    Path driverDirectory() {
        return Path.of(driver);
    }
}
