package io.sluice.perf.link;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One figure of the report; names in JSON are in snake case, and what does not apply is {@code null}.
 *
 * <p>For throughput {@code ours}, {@code raw} and their like are MB/s (10^6 bytes of frames received), more is better.
 * For round trips and open loops they are the median latency in microseconds, less is better. {@code ratio} is always
 * {@code ours / raw}. These are medians over the rounds; {@code p50_us} and the like are of the latencies of all rounds
 * together, which are those in the {@code .hlog} file.
 *
 * @param mode {@code throughput}, {@code rtt} or {@code open-loop}
 * @param channel {@code ipc} or {@code udp}
 * @param size of a frame in bytes
 * @param unit of {@code ours} and its like, {@code MB/s} or {@code us}
 * @param ours of Link and Inbox, frames sealed before
 * @param raw of Aeron alone, same run
 * @param ratio ours over raw
 * @param p99Ratio ours over raw of the 99th percentile
 * @param oursLow lower quartile over the rounds
 * @param oursHigh upper quartile
 * @param rawLow lower quartile of raw
 * @param rawHigh upper quartile of raw
 * @param rawChecked of Aeron with a receiver that verifies CRC-32C
 * @param ratioToRawChecked ours over that
 * @param oursSealing of Link and Inbox, each frame sealed before it is offered
 * @param p50Us median latency of ours
 * @param p99Us 99th percentile
 * @param p999Us 99.9th percentile
 * @param rawP50Us median latency of raw
 * @param rawP99Us 99th percentile of raw
 * @param rawP999Us 99.9th percentile of raw
 * @param framesPerSecond ours, received
 * @param rawFramesPerSecond raw, received
 * @param wantedRate frames a second of an open loop
 * @param rateMet whether an open loop of ours kept that rate, but for one in a hundred
 * @param rawRateMet whether that of raw did
 * @param allocatedPerFrame bytes on the heap for each frame, sender and receiver together
 * @param rawAllocatedPerFrame the same of raw
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record LinkRow(
        String mode,
        String channel,
        int size,
        String unit,
        double ours,
        double raw,
        double ratio,
        Double p99Ratio,
        double oursLow,
        double oursHigh,
        double rawLow,
        double rawHigh,
        double rawChecked,
        double ratioToRawChecked,
        double oursSealing,
        Double p50Us,
        Double p99Us,
        Double p999Us,
        Double rawP50Us,
        Double rawP99Us,
        Double rawP999Us,
        double framesPerSecond,
        double rawFramesPerSecond,
        Double wantedRate,
        Boolean rateMet,
        Boolean rawRateMet,
        double allocatedPerFrame,
        double rawAllocatedPerFrame) {}
