package io.sluice.trials.chaos;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.List;

/**
 * The result of a trial; {@code --json} writes it as one flat object.
 *
 * @param seed seed of the schedule
 * @param minutes minutes for which jobs were to be disturbed
 * @param jobs completed disturbed jobs; the undisturbed job does not count
 * @param events disturbances
 * @param kills processes killed
 * @param relayKills killed workers that relayed broadcasts
 * @param coordinatorKills killed coordinators, if there are several
 * @param takeovers number of times that a coordinator became the leader after another one, or again
 * @param slowestTakeoverSeconds longest time from the death of a leader to the first message of the next leader
 * @param cuts number of times that a host was cut off
 * @param cutsHealed cuts during which no process ended
 * @param longestHealedCutSeconds duration of the longest of these cuts
 * @param rejoins nodes that were started again and rejoined a cluster that waited for them
 * @param starts number of times that all nodes of a job were started, the first start of each job included
 * @param replicaHash hash of all replicas of all jobs; several if they differ
 * @param referenceHash hash of the undisturbed job; with {@code --max-workers}, of one single process for each job
 * @param identical whether all replicas of each job have the expected hash
 * @param lostUpdates data frames (one slice, worker and clock each) that nodes of the undisturbed job pushed and
 *     accepted, and that nodes of other jobs did not push or accept, or did so twice ({@link Counts#lostIn}); with
 *     {@code --max-workers}, frames that workers of a job pushed and its servers did not accept, or accepted twice
 * @param longestStallSeconds longest time in which no worker reported a clock; restarts and the time after the last
 *     report count
 * @param slowestReportSeconds longest time from a death until the trial had a report on it: every survivor had ended,
 *     or the cluster had reported that it waits or has no coordinator
 * @param limitSeconds time after which a survivor counts as hung if it neither trains, nor has ended, nor has reported
 *     that it waits
 * @param unreportedHangs hung survivors, nodes of jobs that did not train for two minutes, nodes that did not join or
 *     leave within two minutes, and one for a job that was given up
 * @param unexplainedEnds processes that failed without a message and were not killed by the trial
 * @param escapedExceptions stack traces on the standard error of any process
 * @param datagrams hostile datagrams sent to UDP ports
 * @param frames hostile frames delivered whole to nodes
 * @param hostileRate hostile datagrams and frames per second of sending
 * @param framesRefused frames that nodes rejected and counted; unknown for nodes that died
 * @param notes notes of nodes on standard output: one for the first frame rejected for each reason
 * @param crossings nodes that joined and left, field by field
 * @param skipped kinds of events that this machine or user cannot provide, with the reason
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
        @JsonProperty("stranger_rate") double hostileRate,
        long framesRefused,
        long notes,
        @JsonUnwrapped Crossings crossings,
        List<String> skipped) {

    /** Whether no replica differs, no update is lost and no process hung or failed. */
    boolean isGood() {
        return identical && lostUpdates == 0 && unreportedHangs == 0 && unexplainedEnds == 0 && escapedExceptions == 0;
    }
}
