package io.sluice.cli;

import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The worker sets of an elastic job, as text: {@code 1:0,1;57:0,1,2}. */
final class CrewsOption implements ITypeConverter<CrewsOption.Crews> {
    private static final String EXPECTED =
            ", expected the first clock of each crew and its workers, both ascending, from clock 1 on: 1:0,1;57:0,1,2";

    /**
     * Crews, one behind the other.
     *
     * @param crews the first from clock 1 on, none without workers
     */
    record Crews(List<WorkerSet> crews) {}

    @Override
    public Crews convert(String text) {
        List<WorkerSet> crews = new ArrayList<>();
        for (String part : text.split(";")) {
            WorkerSet crew = crew(text, part.split(":"));
            boolean follows = crews.isEmpty()
                    ? crew.since() == 1
                    : crew.since() > crews.getLast().since();
            crews.add(required(follows, text, crew));
        }
        return new Crews(crews);
    }

    private static WorkerSet crew(String text, String[] sinceAndWorkers) {
        try {
            List<Integer> workers = Arrays.stream(sinceAndWorkers[1].split(","))
                    .map(worker -> Integer.valueOf(worker.strip()))
                    .toList();
            boolean ascend = workers.getFirst() >= 0
                    && workers.equals(workers.stream().sorted().distinct().toList());
            WorkerSet crew = new WorkerSet(Long.parseLong(sinceAndWorkers[0].strip()), workers);
            return required(ascend && sinceAndWorkers.length == 2, text, crew);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return required(false, text, null);
        }
    }

    private static WorkerSet required(boolean sound, String text, WorkerSet crew) {
        if (!sound) {
            throw new TypeConversionException("'" + text + "'" + EXPECTED);
        }
        return crew;
    }
}
