package io.sluice.perf.chaos;

import java.util.Locale;

/**
 * One thing that is done to a cluster.
 *
 * @param kind what
 * @param delayMs after all had recovered from the one before, in milliseconds
 * @param target which process or host, as a share of those there are
 * @param durationMs for how long, in milliseconds, of what lasts
 * @param seed of whatever else is left to chance
 */
record Disturbance(Kind kind, long delayMs, double target, long durationMs, long seed) {
    /** What can be done. */
    enum Kind {
        /** {@code kill -9} of a worker. */
        KILL_WORKER,
        /** {@code kill -9} of a worker that passes broadcasts on to others. */
        KILL_RELAY,
        /** {@code kill -9} of a server that does not coordinate: of any, where coordinators have own processes. */
        KILL_SERVER,
        /**
         * {@code kill -9} of two or more nodes at once, but not of the server that coordinates; where coordinators have
         * processes of their own, of any of these, too.
         */
        KILL_SEVERAL,
        /** {@code kill -9} of the server that coordinates; of several coordinators, mostly of the one that leads. */
        KILL_COORDINATOR,
        /** {@code kill -9} of a media driver. */
        KILL_DRIVER,
        /** SIGSTOP of any process, and SIGCONT later. */
        PAUSE,
        /** {@code kill -9} of any node, and damage to the newest snapshot of any node. */
        CORRUPT,
        /** The file system of the snapshots has no room. */
        DISK,
        /** A host's cable is pulled, and plugged in again. */
        CUT,
        /** Datagrams and frames of strangers. */
        STRANGERS;

        /** As it is written on a command line. */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** One of several, by the target. */
    int choose(int number) {
        return Math.min(number - 1, (int) (target * number));
    }

    @Override
    public String toString() {
        return kind.word() + " " + String.format(Locale.ROOT, "%.2f", target) + " for " + durationMs + " ms";
    }
}
