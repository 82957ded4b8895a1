package io.sluice.perf.report;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One figure of a report. What does not apply is {@code null}; names in JSON are in snake case.
 *
 * @param kernel what was measured
 * @param elements of the table that one pass goes over
 * @param kept share of the elements that was wanted, 0 to 1
 * @param keptMeasured share that was kept
 * @param data where the updates come from
 * @param threads that shared the table
 * @param widthBits of the registers; 32 for plain Java
 * @param values type of the values
 * @param format of the places
 * @param compressor of the bytes
 * @param milliseconds of one pass, median
 * @param elementsPerSecond median over the rounds
 * @param quartileLow lower quartile of that
 * @param quartileHigh upper quartile of that
 * @param ratioToAxpy elements a second over those of the plain pass, same run
 * @param ratioToScalar elements a second over those of the branching loop, same run
 * @param bytesOut of one pass
 * @param bitsPerKept bits out for each value kept
 * @param bytesRatioToDense bytes out over those of dense f32
 * @param bytesRatioToPaper bytes out over those of the paper's path (zero-filled dense array, snappy), same run
 * @param speedRatioToPaper elements a second over those of the paper's path, same run; on the way back, of its way back
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Row(
        String kernel,
        long elements,
        double kept,
        Double keptMeasured,
        String data,
        int threads,
        int widthBits,
        String values,
        String format,
        String compressor,
        double milliseconds,
        double elementsPerSecond,
        double quartileLow,
        double quartileHigh,
        Double ratioToAxpy,
        Double ratioToScalar,
        Long bytesOut,
        Double bitsPerKept,
        Double bytesRatioToDense,
        Double bytesRatioToPaper,
        Double speedRatioToPaper) {}
