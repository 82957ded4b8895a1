package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.ArrivalHistory;
import io.sluice.messaging.HostLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Nodes that are awaited under {@link DeathPolicy#WAIT}, and those that ask for their places: who may have which, who
 * has to ask elsewhere, and when to wait no longer. Used by the coordinator's thread.
 */
final class Returns {
    private static final int MOST = 16;

    private final ClusterSettings settings;
    private final Members members;
    private final HostLoad load;
    private final long patienceNs;
    private final long limitNs;
    private final List<Candidate> asking = new ArrayList<>();

    /** Those that are let in as soon as that is decided. */
    private final List<Candidate> admitting = new ArrayList<>();

    private final long[] sinceNs;
    private final String[] reasons;

    /** Decides what becomes of those who ask. */
    interface Gate {
        /** Lets a node in, in a place that is free. */
        void admit(int node, Candidate candidate);

        /** Tells a node why it may not come in. */
        void refuse(Candidate candidate, String reason);
    }

    /**
     * Awaits nobody.
     *
     * @param settings the terms
     * @param members  of the cluster
     * @param limitNs  for which a node may be away, in nanoseconds
     * @param load     of the host, by which it takes longer until one is missed
     */
    Returns(ClusterSettings settings, Members members, long limitNs, HostLoad load) {
        this.load = load;
        this.settings = settings;
        this.members = members;
        this.limitNs = limitNs;
        // Whoever was killed a moment ago has to be missed first.
        long missedMs = (long) ArrivalHistory.CEILING * settings.livenessMs() + 2L * settings.heartbeatMs();
        this.patienceNs = TimeUnit.MILLISECONDS.toNanos(missedMs);
        this.sinceNs = new long[settings.servers() + settings.workers()];
        this.reasons = new String[sinceNs.length];
    }

    /** Whether dead nodes are awaited at all; where workers come and go, others ask, who wait for a place. */
    boolean areAwaited() {
        return DeathPolicy.WAIT == settings.onDeath();
    }

    /** A node is dead. */
    void await(int node, String reason, long nowNs) {
        sinceNs[node] = nowNs;
        reasons[node] = reason;
    }

    /** For how long a node has been awaited, in nanoseconds. */
    long awaitedNs(int node, long nowNs) {
        return nowNs - sinceNs[node];
    }

    /** Whether one more may ask: anybody can, where there is no secret. */
    boolean hasRoom() {
        return asking.size() < MOST;
    }

    void ask(Candidate candidate, long nowNs) {
        candidate.returnedNs = nowNs;
        asking.add(candidate);
    }

    List<Candidate> asking() {
        return asking;
    }

    /** The one that asks with a nonce, or null. */
    Candidate asking(long nonce) {
        return Stream.concat(asking.stream(), admitting.stream())
                .filter(candidate -> candidate.nonce == nonce)
                .findFirst()
                .orElse(null);
    }

    /** Forgets who has not asked for long. */
    void forgetSilent(long nowNs) {
        for (Candidate candidate : List.copyOf(asking)) {
            if (nowNs - candidate.askedNs > patienceNs) {
                asking.remove(candidate);
                candidate.close();
            }
        }
    }

    /** One is about to be let in. */
    void admitting(Candidate candidate) {
        admitting.add(candidate);
    }

    /** Whether it is being decided that one is let in. */
    boolean isAdmitting() {
        return !admitting.isEmpty();
    }

    /** The one that was about to be let in with a nonce, and is no longer; or null. */
    Candidate admitted(long nonce) {
        Candidate found = admitting.stream()
                .filter(candidate -> candidate.nonce == nonce)
                .findFirst()
                .orElse(null);
        admitting.remove(found);
        return found;
    }

    /** Decides of all who ask what can be decided by now. */
    void decide(long run, long committed, Gate gate, long nowNs) {
        for (Candidate candidate : List.copyOf(asking)) {
            int node = members.nodeOf(candidate);
            Candidate there = members.get(node);
            String refusal = there.isAway() ? refusalOf(node, candidate, run, committed) : null;
            if (there.hasLeft()) {
                refusal = members.nameOf(node) + " has done its work and left";
            } else if (!there.isAway()
                    && nowNs - candidate.returnedNs > patienceNs * load.factor()
                    && members.isHeard(node, nowNs)) { // else it may be dead, and its last frames came late
                refusal = members.nameOf(node) + " has joined already";
            }
            if (null != refusal) {
                asking.remove(candidate);
                gate.refuse(candidate, refusal);
            } else if (nowNs - candidate.askedNs > patienceNs) {
                asking.remove(candidate);
                candidate.close();
            } else if (there.isAway() && !isTaken(node)) {
                asking.remove(candidate);
                gate.admit(node, candidate);
            }
        }
    }

    /** Whether a place is about to be given to another. */
    private boolean isTaken(int node) {
        return admitting.stream().anyMatch(candidate -> members.nodeOf(candidate) == node);
    }

    private String refusalOf(int node, Candidate candidate, long run, long committed) {
        SnapshotFolder.Held needed = new SnapshotFolder.Held(run, committed);
        if (SnapshotSchedule.NONE != committed && !candidate.held.contains(needed)) {
            return members.nameOf(node) + " has to go on from the snapshot of clock " + committed
                    + ", and does not hold it: give it the folder in which it has kept its snapshots";
        }
        if (isElsewhere(node, candidate)) {
            return members.nameOf(node) + " was at host "
                    + members.places().get(node).host() + " and is now at " + candidate.host
                    + ": it can come back only where it was, for broadcasts go by hosts";
        }
        return null;
    }

    /** Where no node shares memory with another, and no network is described, one host is as good as another. */
    private boolean isElsewhere(int node, Candidate candidate) {
        String before = members.places().get(node).host();
        boolean hostsMatter = TransportKind.IPC == settings.transport()
                || !settings.topology().isEmpty();
        return hostsMatter
                && !before.equals(candidate.host)
                && (isShared(before, node) || isShared(candidate.host, node));
    }

    private boolean isShared(String host, int node) {
        return members.places().stream()
                .anyMatch(place -> place.node() != node && place.host().equals(host));
    }

    /** Why the cluster cannot wait any longer, or null: of the node that has been away for the longest. */
    String overdue(long nowNs) {
        for (int node = 0; node < members.size(); node++) {
            if (members.get(node).isAway() && awaitedNs(node, nowNs) > limitNs) {
                return reasons[node] + ", and did not come back within the "
                        + TimeUnit.NANOSECONDS.toSeconds(limitNs) + " s for which it is awaited; it had reached clock "
                        + members.get(node).clock;
            }
        }
        return null;
    }

    int flush() {
        int sent = 0;
        for (Candidate candidate : asking) {
            sent += candidate.flush();
        }
        return sent;
    }

    void close() {
        asking.forEach(Candidate::close);
        admitting.forEach(Candidate::close);
    }
}
