package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * What is known of a job. Seconds and bytes are those of one worker in one clock.
 *
 * @param source where the figures are from, for people
 * @param parameters elements of an update
 * @param linkRate bits per second of each host's link; 0 if the nodes share memory
 * @param byteSeconds processor time of a byte that is pushed or received in shared memory
 * @param computeSeconds time in the trainer
 * @param pushSeconds time for filtering, framing and sending
 * @param clockSeconds measured time of a clock; {@code null} if none is measured
 * @param pushedBytes bytes in the log to all servers
 * @param receivedBytes bytes in the log from all servers
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record JobFigures(
        String source,
        int workers,
        int servers,
        long parameters,
        long linkRate,
        double byteSeconds,
        double computeSeconds,
        double pushSeconds,
        Double clockSeconds,
        double pushedBytes,
        double receivedBytes,
        Setup setup) {
    /** Time between the end of computing and the next, without filtering and sending. */
    double exchangeSeconds() {
        return clockSeconds - computeSeconds - pushSeconds;
    }

    boolean sharesMemory() {
        return linkRate == 0;
    }
}
