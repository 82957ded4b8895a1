package io.sluice.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Chooses between real data sets, each in a folder with a file that identifies it, and planted data. */
final class DatasetChoice {
    /** Name of the generated data, which need no folder. */
    static final String PLANTED = "planted";

    private DatasetChoice() {}

    /**
     * A data set of {@code sluice data}.
     *
     * @param name its name
     * @param file name of a file by which a folder with the data set is recognised
     */
    record Real(String name, String file) {}

    /**
     * Chooses a data set.
     *
     * @param dataset value of --dataset, or null
     * @param folder value of --data, or null
     * @param known real data sets of the workload, the preferred one first
     * @return the given name; without one, the first data set that the folder has, or planted without a folder
     * @throws IllegalArgumentException if there is no such data set, or the two options contradict each other
     */
    static String of(String dataset, Path folder, List<Real> known) {
        if (dataset == null) {
            return folder == null ? PLANTED : firstIn(folder, known);
        }
        List<String> names = Stream.concat(known.stream().map(Real::name), Stream.of(PLANTED))
                .toList();
        if (!names.contains(dataset)) {
            throw new IllegalArgumentException(
                    "--dataset is '" + dataset + "', expected one of " + String.join(", ", names));
        }
        if (PLANTED.equals(dataset) && folder != null) {
            throw new IllegalArgumentException("--data is " + folder + ", expected none with --dataset planted");
        }
        if (!PLANTED.equals(dataset) && folder == null) {
            throw new IllegalArgumentException("--dataset " + dataset + " needs --data DIR, a folder that 'sluice data "
                    + dataset + " DIR' makes");
        }
        return dataset;
    }

    private static String firstIn(Path folder, List<Real> known) {
        return known.stream()
                .filter(real -> Files.exists(folder.resolve(real.file())))
                .findFirst()
                .orElse(known.getFirst()) // its reader reports what the folder lacks
                .name();
    }
}
