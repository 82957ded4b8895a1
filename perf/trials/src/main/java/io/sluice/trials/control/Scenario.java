package io.sluice.trials.control;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import java.util.Random;

/**
 * One job and its faults, drawn from a seed.
 *
 * @param settings       settings of the cluster
 * @param coordinators   1 (in server 0) or 3 (on hosts of their own)
 * @param snapshotClocks clocks between snapshots; 0 for none
 * @param secret         whether nodes prove a secret and seal control frames
 * @param lossy          whether the network drops, duplicates and reorders frames before it heals
 * @param rounds         clocks of the job
 * @param faults         number of faults injected before the network heals
 */
record Scenario(
        ClusterSettings settings,
        int coordinators,
        int snapshotClocks,
        boolean secret,
        boolean lossy,
        int rounds,
        int faults) {
    private static final int HEARTBEAT_MS = 100;
    private static final int LIVENESS_MS = 500;
    private static final int MOST_ROUNDS = 24;
    private static final int MOST_FAULTS = 6;

    /**
     * One in this many schedules has a secret. Few have one, because key derivation takes longer than the rest of a
     * schedule.
     */
    private static final int SECRET_ODDS = 32;

    static Scenario draw(Random random) {
        DeathPolicy onDeath = DeathPolicy.values()[random.nextInt(DeathPolicy.values().length)];
        int servers = 1 + random.nextInt(3);
        int workers = 1 + random.nextInt(4);
        boolean several = random.nextInt(3) == 0;
        boolean elastic = random.nextInt(2) == 0;
        var terms = ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .transport(TransportKind.UDP)
                .tree("flat")
                .heartbeatMs(HEARTBEAT_MS)
                .livenessMs(LIVENESS_MS)
                .onDeath(onDeath);
        if (elastic) {
            terms.places(workers + random.nextInt(3)).serverPlaces(servers + random.nextInt(2));
        }
        boolean snapshots = onDeath == DeathPolicy.WAIT || random.nextInt(3) == 0;
        return new Scenario(
                terms.build(),
                several ? 3 : 1,
                snapshots ? 2 + random.nextInt(4) : 0,
                random.nextInt(SECRET_ODDS) == 0,
                random.nextInt(3) == 0,
                4 + random.nextInt(MOST_ROUNDS),
                random.nextInt(MOST_FAULTS + 1));
    }

    @Override
    public String toString() {
        return settings.servers() + " servers and " + settings.workers() + " workers, on death "
                + settings.onDeath().configName()
                + (settings.isElastic()
                        ? ", places for " + settings.serverPlaces() + " servers and " + settings.workerPlaces()
                                + " workers"
                        : "")
                + (coordinators > 1 ? ", " + coordinators + " coordinators" : "")
                + (snapshotClocks > 0 ? ", a snapshot every " + snapshotClocks + " clocks" : "")
                + (secret ? ", with a secret" : "") + (lossy ? ", over a lossy network" : "") + ", " + rounds
                + " clocks, " + faults + " faults";
    }
}
