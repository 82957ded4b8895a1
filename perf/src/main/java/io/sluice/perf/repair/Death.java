package io.sluice.perf.repair;

import java.util.List;

/**
 * The measurements of one death.
 *
 * @param detectionNs nanoseconds from the kill until the first node had the new epoch
 * @param survivors   all workers but the dead one
 */
record Death(long detectionNs, List<Survivor> survivors) {

    /**
     * A worker that survives.
     *
     * @param orphan  whether it was a descendant of the dead one
     * @param usualNs longest time between two versions in the last second before the kill
     * @param pauseNs longest time between two versions from the kill on, the interval of the kill included
     * @param asked   requests for missing frames by its trainer and its relay from the kill on
     */
    record Survivor(boolean orphan, long usualNs, long pauseNs, long asked) {}

    /** The descendants of the dead worker, or the others. */
    List<Survivor> survivors(boolean orphans) {
        return survivors.stream().filter(survivor -> survivor.orphan == orphans).toList();
    }
}
