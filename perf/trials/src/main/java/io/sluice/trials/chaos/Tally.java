package io.sluice.trials.chaos;

/** Counts the disturbances of clusters and their effects. For one thread, except for the counts of hostile frames. */
final class Tally {
    private static final double NS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;

    private int events;
    private int kills;
    private int rejoins;
    private int starts;
    private int hangs;
    private int unexplained;

    /** Whether the trial has given up the job; the sender of hostile frames also reads it. */
    private volatile boolean givenUp;

    private int relays;
    private int coordinators;
    private int takeovers;
    private double slowestTakeover;
    private int cuts;
    private int healed;
    private long longestHealedMs;
    private int traces;
    private long lost;
    private Counts counts;
    private long datagrams;
    private long frames;
    private long refused;
    private long sendingNs;
    private long notes;
    private double slowestReport;
    private double longestStall;
    private Crossings crossings = Crossings.NONE;

    void onEvent() {
        events++;
    }

    void onKill() {
        kills++;
    }

    /** Counts a killed relay. */
    void onRelayKilled() {
        relays++;
    }

    /** Counts a killed coordinator of several. */
    void onCoordinatorKilled() {
        coordinators++;
    }

    /** Counts a host that was cut off. */
    void onCut() {
        cuts++;
    }

    /** Counts a cut during which no process ended. */
    void onHealed(long ms) {
        healed++;
        longestHealedMs = Math.max(longestHealedMs, ms);
    }

    /** Counts nodes that have rejoined a cluster that waited for them. */
    void onRejoins(int nodes) {
        rejoins += nodes;
    }

    /** Counts a start of all nodes. */
    void onStart() {
        starts++;
    }

    /** Counts survivors that neither trained on nor ended with a reason. */
    void onHangs(int survivors) {
        hangs += survivors;
    }

    /** Counts processes that failed without a message and were not killed by the trial. */
    void onUnexplainedEnds(int processes) {
        unexplained += processes;
    }

    /** Counts a job that no longer trains as a hang, and ends the trial. */
    void onGivenUp() {
        hangs++;
        givenUp = true;
    }

    /** Records the seconds after which all survivors trained on or had ended with a reason. */
    void onReport(double seconds) {
        slowestReport = Math.max(slowestReport, seconds);
    }

    /** Adds the counts of hostile frames. */
    synchronized void onHostileTraffic(HostileTraffic hostile) {
        datagrams += hostile.datagrams();
        frames += hostile.frames();
        refused += hostile.refused();
        sendingNs += hostile.sendingNs();
    }

    /**
     * Adds the counts of a job that has ended.
     *
     * @param expected frames that its nodes should have pushed and accepted; null for the job that determines it
     */
    void onEnd(Cluster cluster, Counts expected) {
        Progress progress = cluster.progress();
        traces += cluster.traces();
        counts = progress.counts();
        if (!progress.isUncounted()) {
            lost += expected == null ? Math.abs(counts.allPushed() - counts.allTaken()) : expected.lostIn(counts);
        }
        notes += progress.notes();
        crossings = crossings.plus(cluster.places().crossings());
        longestStall = Math.max(longestStall, progress.longestStallSeconds());
        Leaders leaders = cluster.coordinators().leaders();
        takeovers += leaders.takeovers();
        slowestTakeover = Math.max(slowestTakeover, leaders.slowestSeconds());
    }

    int events() {
        return events;
    }

    int kills() {
        return kills;
    }

    int rejoins() {
        return rejoins;
    }

    int starts() {
        return starts;
    }

    /** The counts of frames that the nodes of the last job pushed and accepted. */
    Counts counts() {
        return counts;
    }

    int traces() {
        return traces;
    }

    int relays() {
        return relays;
    }

    int coordinators() {
        return coordinators;
    }

    int takeovers() {
        return takeovers;
    }

    double slowestTakeover() {
        return slowestTakeover;
    }

    int cuts() {
        return cuts;
    }

    int healed() {
        return healed;
    }

    double longestHealed() {
        return longestHealedMs / MS_PER_S;
    }

    int hangs() {
        return hangs;
    }

    int unexplainedEnds() {
        return unexplained;
    }

    /** Whether a job was given up. */
    boolean isGivenUp() {
        return givenUp;
    }

    long lost() {
        return lost;
    }

    synchronized long datagrams() {
        return datagrams;
    }

    synchronized long frames() {
        return frames;
    }

    /** Hostile datagrams and frames per second of sending. */
    synchronized double hostileRate() {
        return sendingNs == 0 ? 0 : (datagrams + frames) / (sendingNs / NS_PER_S);
    }

    synchronized long refused() {
        return refused;
    }

    long notes() {
        return notes;
    }

    Crossings crossings() {
        return crossings;
    }

    double slowestReport() {
        return slowestReport;
    }

    double longestStall() {
        return longestStall;
    }
}
