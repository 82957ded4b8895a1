package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * How many came into jobs and went from them while they ran.
 *
 * @param workersCame that took part from some clock on
 * @param workersGone that took part no more from some clock on, as they were asked to
 * @param serversCame that owned slices from some clock on
 * @param serversGone that owned none any more
 * @param newcomersKilled servers killed on their way in
 * @param turnedAway nodes that ended on their way in, mostly because the job had come to its end
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Crossings(
        int workersCame, int workersGone, int serversCame, int serversGone, int newcomersKilled, int turnedAway) {
    static final Crossings NONE = new Crossings(0, 0, 0, 0, 0, 0);

    /** One. */
    static Crossings of(boolean isServer, boolean comes) {
        int worker = isServer ? 0 : 1;
        return comes ? new Crossings(worker, 0, 1 - worker, 0, 0, 0) : new Crossings(0, worker, 0, 1 - worker, 0, 0);
    }

    /** Both together. */
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
