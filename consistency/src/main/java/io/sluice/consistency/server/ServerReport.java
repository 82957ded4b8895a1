package io.sluice.consistency.server;

import io.sluice.codecs.CompressionReport;
import io.sluice.consistency.membership.LostWorker;
import java.util.List;

/**
 * What a server has done.
 *
 * @param version         rounds finalised, less the start's
 * @param framesBroadcast data frames sent, counted once for each worker that receives them, lost ones
 *                        included
 * @param framesEarly     of those, the ones sent before their version was complete
 * @param bytesBroadcast  bytes sent as they lie in the Aeron log, headers and alignment included, counted likewise
 * @param framesRejected  frames dropped because they were not sound or not meant for this server
 * @param residualMaxAbs  largest magnitude kept at home
 * @param lastThreshold   threshold of the last round; 0 where nothing is filtered
 * @param compression     what compression did to the frames broadcast, each counted once
 * @param framesResent    frames sent again to receivers that missed them, marks included
 * @param framesTaken     data frames of workers taken in since the training began, each once, without those of the
 *                        first values
 * @param losses          workers without which the cluster went on, in the order in which they were lost
 * @param moves           slices that came from other servers or went to them, in the order of clocks
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
        List<LostWorker> losses,
        List<SliceMove> moves) {}
