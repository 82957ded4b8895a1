package io.sluice.trials.chaos;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
 * @param relayKills of these, workers that passed broadcasts on to others
 * @param coordinatorKills of these, coordinators where there are several
 * @param takeovers times that one of several coordinators led after another, or once more
 * @param slowestTakeoverSeconds from the death of one that led to the first word of the next
 * @param cuts times that a host was cut off
 * @param cutsHealed of these, without any process that ended
 * @param longestHealedCutSeconds of these, the longest
 * @param rejoins nodes that were started again and are back in a cluster that has waited for them
 * @param starts times that all nodes of a job were started, the first of each job included
 * @param replicaHash of all replicas of all jobs; several if they differ
 * @param referenceHash of the undisturbed job; where workers come and go, of a single process for each job
 * @param identical whether all replicas of each job have the hash that it must have
 * @param lostUpdates data frames, each an update of one slice by one worker at one clock, that nodes of the undisturbed
 *     job have pushed and taken and those of the others have not, or twice ({@link Counts#lostIn}); where workers come
 *     and go, that workers of a job have pushed and its servers have not taken, or twice
 * @param longestStallSeconds without a report of any worker that it has come on, starting anew included, and the time
 *     after the last report
 * @param slowestReportSeconds until all survivors of a death had ended, and said why, or the cluster that waits had
 *     said that it does, or that it does without a coordinator
 * @param limitSeconds after which a survivor that neither goes on, nor has ended, nor waits with a word counts as hung
 * @param unreportedHangs survivors that did, nodes of jobs that stood still for two minutes or did not come to train in
 *     them, nodes that did not come or go in them, and one for a job that was given up
 * @param unexplainedEnds processes that ended badly, were not killed, and had not said why
 * @param escapedExceptions stack traces on the standard error of any process
 * @param datagrams of strangers, at UDP ports
 * @param frames of strangers, that came whole to nodes
 * @param strangerRate of both, in a second in which they were sent
 * @param framesRefused frames that nodes refused and counted; those of nodes that died meanwhile are not known
 * @param notes sentences that nodes had for whoever started them: of each reason to refuse frames, the first
 * @param crossings who came and went, field by field
 * @param skipped kinds of events that this machine or user cannot have, with the reason
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record ChaosReport(
        long seed,
        double minutes,
        int jobs,
        int events,
        int kills,
        int relayKills,
        int coordinatorKills,
        int takeovers,
        double slowestTakeoverSeconds,
        int cuts,
        int cutsHealed,
        double longestHealedCutSeconds,
        int rejoins,
        int starts,
        String replicaHash,
        String referenceHash,
        boolean identical,
        long lostUpdates,
        double longestStallSeconds,
        double slowestReportSeconds,
        double limitSeconds,
        int unreportedHangs,
        int unexplainedEnds,
        int escapedExceptions,
        long datagrams,
        long frames,
        double strangerRate,
        long framesRefused,
        long notes,
        @JsonUnwrapped Crossings crossings,
        List<String> skipped) {

    /** Whether all is as it should be. */
    boolean isGood() {
        return identical && lostUpdates == 0 && unreportedHangs == 0 && unexplainedEnds == 0 && escapedExceptions == 0;
    }
}
