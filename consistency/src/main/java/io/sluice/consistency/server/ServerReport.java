package io.sluice.consistency.server;

import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.terms.LostWorker;
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
        List<LostWorker> losses,
        List<SliceMove> moves) {}
