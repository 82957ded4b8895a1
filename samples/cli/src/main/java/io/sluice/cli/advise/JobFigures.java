package io.sluice.cli.advise;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * What is known of a job. Seconds and bytes are those of one worker in one clock.
 *
 * @param source where the figures are from, for people
 * @param parameters elements of an update
 * @param transport {@code ipc} if the nodes share memory, otherwise {@code udp}
 * @param linkRate bits per second of each host's link; 0 if the nodes share memory
 * @param cores processor cores of all hosts together; {@code null} if unknown
 * @param byteSeconds processor time of a byte that is pushed or received in shared memory
 * @param computeSeconds time in the trainer
 * @param pushSeconds time for filtering, framing and sending
 * @param clockSeconds measured time of a clock; {@code null} if none is measured
 * @param pushedBytes bytes in the log to all servers
 * @param receivedBytes bytes in the log from all servers
 * @param filters whether workers filter, even if all elements pass
 * @param filtersBroadcasts whether a new filter applies to broadcasts, too
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record JobFigures(
        String source,
        int workers,
        int servers,
        long parameters,
        String transport,
        long linkRate,
        Integer cores,
        double byteSeconds,
        double computeSeconds,
        double pushSeconds,
        Double clockSeconds,
        double pushedBytes,
        double receivedBytes,
        boolean filters,
        boolean filtersBroadcasts,
        Setup setup) {
    /** Time in which a worker computes, filters and sends. */
    @JsonIgnore
    double busySeconds() {
        return computeSeconds + pushSeconds;
    }

    boolean sharesMemory() {
        return "ipc".equals(transport);
    }

    /**
     * The share of the elements that at least one worker keeps, if each keeps a share.
     *
     * <p>The job shows how much the workers agree: if they keep a share k each and u together, they are like m workers
     * that choose independently, with {@code 1 - u = (1 - k)^m}. A job without a filter does not show it. Then the
     * forecast assumes that all workers choose independently, which gives the largest share.
     */
    double union(double share) {
        double sides = workers;
        if (setup.kept() > 0 && setup.kept() < 1 && setup.broadcastKept() < 1) {
            sides = Math.clamp(Math.log1p(-setup.broadcastKept()) / Math.log1p(-setup.kept()), 1, workers);
        }
        return share >= 1 ? 1 : -Math.expm1(sides * Math.log1p(-share));
    }
}
