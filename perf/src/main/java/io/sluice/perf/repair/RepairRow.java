package io.sluice.perf.repair;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.race.Quartiles;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What the workers of one kind went through, over several deaths. Of each death the worker that fared worst counts.
 *
 * @param consistency     rule of the cluster
 * @param subtree         {@code orphan} behind the dead one, else {@code other}
 * @param workers         of that kind
 * @param deaths          that were seen
 * @param detection       seconds from the kill until the first node knew of the new epoch, median
 * @param detectionMax    the longest
 * @param usual           longest time between two versions in the second before the kill, in seconds, median
 * @param usualMax        the longest
 * @param pause           longest time between two versions from the kill on, in seconds, median
 * @param pauseMax        the longest
 * @param beyond          by how much that was longer than the detection of the same death, in seconds, median
 * @param beyondMax       the most
 * @param asked           requests for frames that were missed, from the kill on, of all of them and of all deaths
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record RepairRow(
        String consistency,
        String subtree,
        int workers,
        int deaths,
        double detection,
        double detectionMax,
        double usual,
        double usualMax,
        double pause,
        double pauseMax,
        double beyond,
        double beyondMax,
        long asked) {
    private static final double NS = 1e9;

    static RepairRow of(String consistency, boolean orphans, List<Death> deaths) {
        Sample detection = Sample.of(deaths, Death::detectionNs);
        Sample usual = Sample.of(deaths, death -> longest(death, orphans, Death.Survivor::usualNs));
        Sample pause = Sample.of(deaths, death -> longest(death, orphans, Death.Survivor::pauseNs));
        Sample beyond =
                Sample.of(deaths, death -> longest(death, orphans, Death.Survivor::pauseNs) - death.detectionNs());
        return new RepairRow(
                consistency,
                orphans ? "orphan" : "other",
                deaths.getFirst().survivors(orphans).size(),
                deaths.size(),
                detection.median,
                detection.most,
                usual.median,
                usual.most,
                pause.median,
                pause.most,
                beyond.median,
                beyond.most,
                deaths.stream()
                        .flatMap(death -> death.survivors(orphans).stream())
                        .mapToLong(Death.Survivor::asked)
                        .sum());
    }

    private static double longest(Death death, boolean orphans, ToDoubleFunction<Death.Survivor> of) {
        return death.survivors(orphans).stream().mapToDouble(of).max().orElseThrow();
    }

    /** In seconds. */
    private record Sample(double median, double most) {
        static Sample of(List<Death> deaths, ToDoubleFunction<Death> ns) {
            double[] seconds = deaths.stream()
                    .mapToDouble(ns)
                    .map(value -> value / NS)
                    .sorted()
                    .toArray();
            return new Sample(Quartiles.of(seconds).median(), seconds[seconds.length - 1]);
        }
    }
}
