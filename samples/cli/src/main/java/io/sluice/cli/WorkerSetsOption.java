package io.sluice.cli;

import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The worker sets of an elastic job, as text: {@code 1:0,1;57:0,1,2}. */
final class WorkerSetsOption implements ITypeConverter<WorkerSetsOption.WorkerSets> {
    private static final String EXPECTED =
            ", expected the first clock of each worker set and its workers, both ascending, from clock 1 on:"
                    + " 1:0,1;57:0,1,2";

    /**
     * Successive worker sets.
     *
     * @param workerSets worker sets by first clock, which is 1 for the first set; none is empty
     */
    record WorkerSets(List<WorkerSet> workerSets) {}

    @Override
    public WorkerSets convert(String text) {
        List<WorkerSet> workerSets = new ArrayList<>();
        for (String part : text.split(";")) {
            WorkerSet workerSet = workerSet(text, part.split(":"));
            boolean follows = workerSets.isEmpty()
                    ? workerSet.since() == 1
                    : workerSet.since() > workerSets.getLast().since();
            workerSets.add(required(follows, text, workerSet));
        }
        return new WorkerSets(workerSets);
    }

    private static WorkerSet workerSet(String text, String[] sinceAndWorkers) {
        try {
            List<Integer> workers = Arrays.stream(sinceAndWorkers[1].split(","))
                    .map(worker -> Integer.valueOf(worker.strip()))
                    .toList();
            boolean ascend = workers.getFirst() >= 0
                    && workers.equals(workers.stream().sorted().distinct().toList());
            WorkerSet workerSet = new WorkerSet(Long.parseLong(sinceAndWorkers[0].strip()), workers);
            return required(ascend && sinceAndWorkers.length == 2, text, workerSet);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return required(false, text, null);
        }
    }

    private static WorkerSet required(boolean valid, String text, WorkerSet workerSet) {
        if (!valid) {
            throw new TypeConversionException("'" + text + "'" + EXPECTED);
        }
        return workerSet;
    }
}
