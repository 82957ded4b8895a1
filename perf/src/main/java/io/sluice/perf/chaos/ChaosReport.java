package io.sluice.perf.chaos;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.List;

/**
 * What came of a trial; {@code --json} writes it as one flat object.
 *
 * @param seed of the schedule
 * @param minutes it was to take
 * @param jobs that came to their end, one after the other, the undisturbed one not among them
 * @param events things done to them
 * @param kills processes killed
 * @param rejoins times that a cluster trained on with all its nodes after it had lost some
 * @param starts times that all nodes of a job were started, the first of each job included
 * @param replicaHash of all replicas of all jobs; several if they differ
 * @param referenceHash of the undisturbed job
 * @param identical whether these are one
 * @param lostUpdates data frames that workers pushed and servers did not take, or twice; null where nodes come back one
 *     by one, for what a node did in a life before is in no count
 * @param longestStallSeconds without a report of any worker that it has come on, starting anew included
 * @param slowestReportSeconds until all survivors of a death had ended, and said why
 * @param limitSeconds after which a survivor that neither goes on nor has ended counts as hung
 * @param unreportedHangs survivors that did
 * @param datagrams of strangers, at UDP ports
 * @param frames of strangers, that came whole to nodes
 * @param framesRefused frames that nodes refused and counted; those of nodes that died meanwhile are not known
 * @param notes sentences that nodes had for whoever started them: of each reason to refuse frames, the first
 * @param skipped kinds of events that this machine or user cannot have, with the reason
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record ChaosReport(
        long seed,
        double minutes,
        int jobs,
        int events,
        int kills,
        int rejoins,
        int starts,
        String replicaHash,
        String referenceHash,
        boolean identical,
        Long lostUpdates,
        double longestStallSeconds,
        double slowestReportSeconds,
        double limitSeconds,
        int unreportedHangs,
        long datagrams,
        long frames,
        long framesRefused,
        long notes,
        List<String> skipped) {

    /** Whether all is as it should be. */
    boolean isGood() {
        boolean lost = lostUpdates != null && lostUpdates != 0;
        return identical && !lost && unreportedHangs == 0;
    }
}
