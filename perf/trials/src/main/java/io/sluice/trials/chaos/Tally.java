package io.sluice.trials.chaos;

/** What has been done to clusters, and what was seen of it. For one thread, but for what strangers add. */
final class Tally {
    private static final double NS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;

    private int events;
    private int kills;
    private int rejoins;
    private int starts;
    private int hangs;
    private int unexplained;

    /** Read by strangers, too. */
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

    /** One of the processes killed has passed broadcasts on. */
    void onRelayKilled() {
        relays++;
    }

    /** One of the processes killed was one of several coordinators. */
    void onCoordinatorKilled() {
        coordinators++;
    }

    /** A host was cut off. */
    void onCut() {
        cuts++;
    }

    /** A host was cut off for so long, and no process has ended of it. */
    void onHealed(long ms) {
        healed++;
        longestHealedMs = Math.max(longestHealedMs, ms);
    }

    /** Nodes are back in a cluster that has waited for them. */
    void onRejoins(int nodes) {
        rejoins += nodes;
    }

    /** All nodes were started anew. */
    void onStart() {
        starts++;
    }

    /** Survivors neither went on nor said why. */
    void onHangs(int survivors) {
        hangs += survivors;
    }

    /** Processes ended badly, not by our doing, without a word. */
    void onUnexplainedEnds(int processes) {
        unexplained += processes;
    }

    /** A job does not come to train any more: that counts as one that hangs, and is the end of the trial. */
    void onGivenUp() {
        hangs++;
        givenUp = true;
    }

    /** All survivors went on, or had ended and said why, in so many seconds. */
    void onReport(double seconds) {
        slowestReport = Math.max(slowestReport, seconds);
    }

    /** Strangers sent so much. */
    synchronized void onStrangers(Strangers strangers) {
        datagrams += strangers.datagrams();
        frames += strangers.frames();
        refused += strangers.refused();
        sendingNs += strangers.sendingNs();
    }

    /**
     * A job came to its end.
     *
     * @param expected what its nodes should have pushed and taken; null if this is how it is found out
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

    /** What the nodes of the last job have pushed and taken. */
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

    /** Whether a job does not come to train any more. */
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

    /** Datagrams and frames that strangers sent in a second in which they sent. */
    synchronized double strangerRate() {
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
