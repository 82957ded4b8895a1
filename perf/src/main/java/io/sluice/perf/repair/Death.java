package io.sluice.perf.repair;

import java.util.List;

/**
 * What was seen of one death.
 *
 * @param detectionNs from the kill until the first node knew of the new epoch
 * @param survivors   all workers but the dead one
 */
record Death(long detectionNs, List<Survivor> survivors) {

    /**
     * A worker.
     *
     * @param orphan  whether it was behind the dead one
     * @param usualNs longest time between two versions in the last second before the kill
     * @param pauseNs the same from the kill on, the one in which that happened included
     * @param asked   how often its trainer and its relay asked for what they missed, from the kill on
     */
    record Survivor(boolean orphan, long usualNs, long pauseNs, long asked) {}

    /** The workers behind the dead one, or the others. */
    List<Survivor> survivors(boolean orphans) {
        return survivors.stream().filter(survivor -> survivor.orphan == orphans).toList();
    }
}
