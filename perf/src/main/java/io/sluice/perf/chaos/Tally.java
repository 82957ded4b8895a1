package io.sluice.perf.chaos;

/** What has been done to clusters, and what was seen of it. For one thread, but for what strangers add. */
final class Tally {
    private int events;
    private int kills;
    private int rejoins;
    private int starts;
    private int hangs;
    private long lost;
    private long datagrams;
    private long frames;
    private long refused;
    private long notes;
    private double slowestReport;
    private double longestStall;

    void onEvent() {
        events++;
    }

    void onKill() {
        kills++;
    }

    /** Nodes were there again, of a cluster that went on. */
    void onRejoin() {
        rejoins++;
    }

    /** All nodes were started anew. */
    void onStart() {
        starts++;
    }

    /** Survivors neither went on nor said why. */
    void onHangs(int survivors) {
        hangs += survivors;
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
    }

    /** A job came to its end. */
    void onEnd(Progress progress) {
        lost += Math.abs(progress.pushed() - progress.taken());
        notes += progress.notes();
        longestStall = Math.max(longestStall, progress.longestStallSeconds());
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

    int hangs() {
        return hangs;
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

    synchronized long refused() {
        return refused;
    }

    long notes() {
        return notes;
    }

    double slowestReport() {
        return slowestReport;
    }

    double longestStall() {
        return longestStall;
    }
}
