package io.sluice.perf.simulation;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.text.DecimalFormat;

/**
 * One plan, predicted and simulated.
 *
 * @param shape           strategy as asked for
 * @param planned         strategy that made the plan; another one for {@code auto}
 * @param workers         number of them
 * @param servers         number of them
 * @param bytes           of a broadcast
 * @param frameBytes      of a frame
 * @param oversubscription of racks, 0 for uplinks without limits; {@code null} where the network is described by a file
 * @param depth           hops to the last host
 * @param planSeconds     that planning took
 * @param wireSeconds     that the bytes take over one link, the slowest by which a worker receives
 * @param boundSeconds    that no plan gets below
 * @param predictedSeconds by the planner's estimate
 * @param seconds         simulated
 * @param ratioToWire     simulated over one link's time
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
        Double oversubscription,
        int depth,
        double planSeconds,
        double wireSeconds,
        double boundSeconds,
        double predictedSeconds,
        double seconds,
        double ratioToWire,
        double ratioToBound,
        double predictionError,
        long frames,
        double simulationSeconds) {
    /** The racks, as the end of a sentence; empty where there is nothing to say. */
    String racks() {
        if (oversubscription == null || oversubscription == 0) {
            return "";
        }
        return ", racks oversubscribed " + new DecimalFormat("0.###").format(oversubscription) + ":1";
    }
}
