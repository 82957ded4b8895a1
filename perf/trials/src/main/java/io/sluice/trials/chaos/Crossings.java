package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * Numbers of nodes that joined and left jobs while they ran.
 *
 * @param workersCame number of workers that joined
 * @param workersGone workers that left on request
 * @param serversCame servers that joined and received slices
 * @param serversGone servers that gave up all slices
 * @param newcomersKilled servers killed while they joined
 * @param turnedAway nodes that ended while they joined, mostly because the job was ending
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Crossings(
        int workersCame, int workersGone, int serversCame, int serversGone, int newcomersKilled, int turnedAway) {
    static final Crossings NONE = new Crossings(0, 0, 0, 0, 0, 0);

    /** Counts one node. */
    static Crossings of(boolean isServer, boolean joins) {
        int worker = isServer ? 0 : 1;
        return joins ? new Crossings(worker, 0, 1 - worker, 0, 0, 0) : new Crossings(0, worker, 0, 1 - worker, 0, 0);
    }

    /** The sum of both. */
    Crossings plus(Crossings other) {
        return new Crossings(
                workersCame + other.workersCame,
                workersGone + other.workersGone,
                serversCame + other.serversCame,
                serversGone + other.serversGone,
                newcomersKilled + other.newcomersKilled,
                turnedAway + other.turnedAway);
    }
}
