package io.sluice.consistency.server;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.agrona.concurrent.NanoClock;

/**
 * A server that has come while the job runs asks for slices once all who take part have told it what the tables are:
 * then each of them has reached it. Until then nobody needs it, so if somebody does not reach it, it ends alone
 * (decision 37).
 *
 * <p>Used by the server's thread. Allocates nothing while it waits, or once it has asked.
 */
final class ServerArrival {
    private final Membership membership;
    private final Shard shard;
    private final IntPredicate hasDeclared;
    private final long patienceNs;
    private final long startNs;
    private boolean isOver;

    /**
     * Begins to wait, if the server is one that has come while the job runs.
     *
     * @param membership  of the server
     * @param shard       of the server, which is built when the first has told
     * @param hasDeclared whether a worker has declared all tables
     * @param patienceNs  for which to wait, in nanoseconds
     * @param clock       by which that passes
     */
    ServerArrival(Membership membership, Shard shard, IntPredicate hasDeclared, long patienceNs, NanoClock clock) {
        this.membership = membership;
        this.shard = shard;
        this.hasDeclared = hasDeclared;
        this.patienceNs = patienceNs;
        this.startNs = clock.nanoTime();
        this.isOver = !membership.plan().isOfNewcomer();
    }

    /** Asks when it is time to; returns the number of questions. */
    int work(long nowNs) {
        if (isOver) {
            return 0;
        }
        if (shard.isBuilt() && haveAllDeclared()) {
            membership.crews().ask(true);
            isOver = true;
            return 1;
        }
        if (nowNs - startNs > patienceNs) {
            throw membership.fail(
                    Failure.TIMEOUT,
                    "was not told what the tables are by workers " + missing() + " within "
                            + TimeUnit.NANOSECONDS.toSeconds(patienceNs) + " s: they have pushed nothing in that time,"
                            + " or do not reach " + membership.endpoint());
        }
        return 0;
    }

    /** Asked again and again: without garbage. */
    private boolean haveAllDeclared() {
        List<Integer> workers = membership.crews().history().crews().getLast().workers();
        for (int i = 0; i < workers.size(); i++) {
            if (isMissing(workers.get(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean isMissing(int worker) {
        return !hasDeclared.test(worker) && !membership.isLost(worker);
    }

    /** Who takes part and has not told of the tables; of those who came before, a server knows with the first one. */
    private List<Integer> missing() {
        return membership.crews().history().crews().getLast().workers().stream()
                .filter(this::isMissing)
                .toList();
    }
}
