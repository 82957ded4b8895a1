package io.sluice.perf.simulation;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One plan, predicted and simulated.
 *
 * @param shape           strategy as asked for
 * @param planned         strategy that made the plan; another one for {@code auto}
 * @param workers         number of them
 * @param servers         number of them
 * @param bytes           of a broadcast
 * @param frameBytes      of a frame
 * @param depth           hops to the last host
 * @param planSeconds     that planning took
 * @param boundSeconds    that no plan gets below
 * @param predictedSeconds by the planner's estimate
 * @param seconds         simulated
 * @param ratioToBound    simulated over bound
 * @param predictionError predicted over simulated, less 1
 * @param frames          that came to a host, in all
 * @param simulationSeconds that the simulation took
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record SimulationRow(
        String shape,
        String planned,
        int workers,
        int servers,
        long bytes,
        int frameBytes,
        int depth,
        double planSeconds,
        double boundSeconds,
        double predictedSeconds,
        double seconds,
        double ratioToBound,
        double predictionError,
        long frames,
        double simulationSeconds) {}
