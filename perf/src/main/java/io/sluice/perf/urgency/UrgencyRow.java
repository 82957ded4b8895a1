package io.sluice.perf.urgency;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One order's figures; names in JSON are in snake case.
 *
 * @param order in which slices were sent
 * @param queuedBytes of frames that waited when the urgent one came, least over the runs
 * @param linkRate bits per second of the link
 * @param budgetRate bits per second to which the sender kept
 * @param sliceMs what the link needs for one slice's frame, with all headers
 * @param runs urgent slices sent
 * @param medianMs from handing the urgent slice over until the other side has it
 * @param worstMs the longest of the runs
 * @param sliceTimes {@code medianMs / sliceMs}
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record UrgencyRow(
        String order,
        long queuedBytes,
        long linkRate,
        long budgetRate,
        double sliceMs,
        int runs,
        double medianMs,
        double worstMs,
        double sliceTimes) {}
