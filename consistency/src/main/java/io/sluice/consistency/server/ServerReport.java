package io.sluice.consistency.server;

import io.sluice.codecs.api.CompressionReport;
import java.util.List;

/**
 * Counters of a server.
 *
 * @param version         number of rounds finalised, without round 0
 * @param framesBroadcast data frames sent, lost frames included, counted once for each worker that receives them
 * @param framesEarly     data frames that were sent before their version was complete
 * @param bytesBroadcast  bytes sent as they are in the Aeron log, headers and alignment included, counted once for each
 *                        worker that receives them
 * @param framesRejected  number of frames dropped because they were invalid or for another node
 * @param residualMaxAbs  largest magnitude in the residual
 * @param lastThreshold   threshold of the last round; 0 without a filter
 * @param compression     compression statistics of the broadcast frames, each counted once
 * @param framesResent    frames repeated to receivers that missed them, round commits included
 * @param framesTaken     data frames of workers since the start of training, each once, without the first values
 * @param losses          workers without which the cluster continued, in the order in which they were lost
 * @param moves           slices that this server took over or handed over, in the order of clocks
 */
public record ServerReport(
        long version,
        long framesBroadcast,
        long framesEarly,
        long bytesBroadcast,
        long framesRejected,
        float residualMaxAbs,
        float lastThreshold,
        CompressionReport compression,
        long framesResent,
        long framesTaken,
        List<Loss> losses,
        List<Move> moves) {
    /**
     * A worker that was declared dead, and without which the cluster has continued.
     *
     * @param worker index of the worker
     * @param clock last clock of which the server had all pushes of the worker; -1 if the worker had not started
     */
    public record Loss(int worker, long clock) {

        /**
         * Describes the loss.
         *
         * @return a clause, for example
         *     {@code worker 3 was lost; its pushes are complete up to clock 12; the others continued without it}
         */
        public String sentence() {
            String when = clock < 0 ? " before the start" : "; its pushes are complete up to clock " + clock;
            return "worker " + worker + " was lost" + when + "; the others continued without it";
        }
    }

    /**
     * A move of slices between servers during the job.
     *
     * @param clock  first clock whose updates the new owner sums
     * @param gained number of slices that the server owns from then on
     * @param given  number of slices that it has given up
     */
    public record Move(long clock, int gained, int given) {

        /**
         * Describes the move.
         *
         * @return for example {@code owns 3 fewer slices from clock 40 on}
         */
        public String sentence() {
            String fewer = given > 0 ? inWords(given, "fewer") : "";
            String more = gained > 0 ? inWords(gained, "more") : "";
            return "owns " + fewer + (given > 0 && gained > 0 ? " and " : "") + more + " from clock " + clock + " on";
        }

        private static String inWords(int slices, String change) {
            return slices + " " + change + (1 == slices ? " slice" : " slices");
        }
    }
}
