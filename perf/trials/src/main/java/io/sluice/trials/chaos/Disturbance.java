package io.sluice.trials.chaos;

import java.util.Locale;

/**
 * One disturbance of a cluster.
 *
 * @param kind kind of disturbance
 * @param delayMs time after the recovery from the previous disturbance, in milliseconds
 * @param target chooses a process or host: a fraction of their number
 * @param durationMs duration in milliseconds, for kinds that last
 * @param seed seed of further random choices
 */
record Disturbance(Kind kind, long delayMs, double target, long durationMs, long seed) {
    /** Kinds of disturbances. */
    enum Kind {
        /** {@code kill -9} of a worker. */
        KILL_WORKER(Where.RESTORED),
        /** {@code kill -9} of a relay. */
        KILL_RELAY(Where.RESTORED),
        /**
         * {@code kill -9} of a server that is not the coordinator; of any server if coordinators have processes of
         * their own.
         */
        KILL_SERVER(Where.RESTORED),
        /**
         * {@code kill -9} of two or more nodes at once, except the server that coordinates. Coordinators in processes
         * of their own may be among them.
         */
        KILL_SEVERAL(Where.RESTORED),
        /**
         * {@code kill -9} of the coordinating server or, if there are several coordinators, of one of them, usually the
         * leader.
         */
        KILL_COORDINATOR(Where.RESTORED),
        /** {@code kill -9} of a media driver. */
        KILL_DRIVER(Where.RESTORED),
        /** SIGSTOP of any process, SIGCONT later. */
        PAUSE(Where.ANYWHERE),
        /** {@code kill -9} of any node, and damage to the newest snapshot of any node. */
        CORRUPT(Where.RESTORED),
        /** The file system of the snapshots is full for a time. */
        DISK(Where.RESTORED),
        /** The links of a host are cut for a time. */
        CUT(Where.ANYWHERE),
        /** Hostile datagrams and frames. */
        HOSTILE_TRAFFIC(Where.ANYWHERE),
        /** A worker is started in an empty place. */
        WORKER_JOINS(Where.ELASTIC),
        /** A worker is requested to leave. */
        WORKER_LEAVES(Where.ELASTIC),
        /** A server is started in an empty place. */
        SERVER_JOINS(Where.ELASTIC),
        /** A server that is not the coordinator is requested to leave. */
        SERVER_LEAVES(Where.ELASTIC),
        /** A server is started in an empty place, and killed ({@code kill -9}) before it owns slices. */
        KILL_NEWCOMER(Where.ELASTIC);

        /** The jobs to which a kind applies. */
        private enum Where {
            /** Jobs that take snapshots. */
            RESTORED,
            /** Jobs with {@code --max-workers}. */
            ELASTIC,
            ANYWHERE
        }

        private final Where where;

        Kind(Where where) {
            this.where = where;
        }

        /** Whether this kind applies to a job. */
        boolean suits(Terms terms) {
            return switch (where) {
                case RESTORED -> terms.takesSnapshots();
                case ELASTIC -> terms.isElastic();
                case ANYWHERE -> true;
            };
        }

        /** Whether a server joins or leaves. */
        boolean movesServers() {
            return this == SERVER_JOINS || this == SERVER_LEAVES || this == KILL_NEWCOMER;
        }

        /** Whether a worker joins or leaves. */
        boolean movesWorkers() {
            return this == WORKER_JOINS || this == WORKER_LEAVES;
        }

        /** The name on a command line. */
        String configName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Chooses an index below a number by the target. */
    int choose(int number) {
        return Math.min(number - 1, (int) (target * number));
    }

    @Override
    public String toString() {
        return kind.configName() + " " + String.format(Locale.ROOT, "%.2f", target) + " for " + durationMs + " ms";
    }
}
