package io.sluice.trials.chaos;

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
        KILL_WORKER(Where.RESTORED),
        /** {@code kill -9} of a worker that passes broadcasts on to others. */
        KILL_RELAY(Where.RESTORED),
        /** {@code kill -9} of a server that does not coordinate: of any, where coordinators have own processes. */
        KILL_SERVER(Where.RESTORED),
        /**
         * {@code kill -9} of two or more nodes at once, but not of the server that coordinates; where coordinators have
         * processes of their own, of any of these, too.
         */
        KILL_SEVERAL(Where.RESTORED),
        /** {@code kill -9} of the server that coordinates; of several coordinators, mostly of the one that leads. */
        KILL_COORDINATOR(Where.RESTORED),
        /** {@code kill -9} of a media driver. */
        KILL_DRIVER(Where.RESTORED),
        /** SIGSTOP of any process, and SIGCONT later. */
        PAUSE(Where.ANYWHERE),
        /** {@code kill -9} of any node, and damage to the newest snapshot of any node. */
        CORRUPT(Where.RESTORED),
        /** The file system of the snapshots has no room. */
        DISK(Where.RESTORED),
        /** A host's cable is pulled, and plugged in again. */
        CUT(Where.ANYWHERE),
        /** Datagrams and frames of strangers. */
        STRANGERS(Where.ANYWHERE),
        /** A worker is started in an empty place. */
        WORKER_COMES(Where.ELASTIC),
        /** A worker is asked to go. */
        WORKER_GOES(Where.ELASTIC),
        /** A server is started in an empty place. */
        SERVER_COMES(Where.ELASTIC),
        /** A server that does not coordinate is drained. */
        SERVER_GOES(Where.ELASTIC),
        /** A server is started in an empty place, and killed ({@code kill -9}) before anybody needs it. */
        KILL_NEWCOMER(Where.ELASTIC);

        /** In which jobs. */
        private enum Where {
            /** Of nodes that go on from their snapshots. */
            RESTORED,
            /** Of nodes that come and go. */
            ELASTIC,
            ANYWHERE
        }

        private final Where where;

        Kind(Where where) {
            this.where = where;
        }

        /** Whether a job can be met with it. */
        boolean suits(Terms terms) {
            return switch (where) {
                case RESTORED -> terms.takesSnapshots();
                case ELASTIC -> terms.isElastic();
                case ANYWHERE -> true;
            };
        }

        /** Whether it is of servers that come or go. */
        boolean movesServers() {
            return this == SERVER_COMES || this == SERVER_GOES || this == KILL_NEWCOMER;
        }

        /** Whether it is of workers that come or go. */
        boolean movesWorkers() {
            return this == WORKER_COMES || this == WORKER_GOES;
        }

        /** As it is written on a command line. */
        String configName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** One of several, by the target. */
    int choose(int number) {
        return Math.min(number - 1, (int) (target * number));
    }

    @Override
    public String toString() {
        return kind.configName() + " " + String.format(Locale.ROOT, "%.2f", target) + " for " + durationMs + " ms";
    }
}
