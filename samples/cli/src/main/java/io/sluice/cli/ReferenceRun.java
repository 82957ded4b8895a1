package io.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The options of the same training in one process, and its run. */
final class ReferenceRun {
    @Option(names = "--reference", description = "Compute the same result in one process, without Sluice.")
    private boolean reference;

    @Option(
            names = "--history",
            paramLabel = "S",
            converter = WorkerSetsOption.class,
            description =
                    "With --reference: the arithmetic of a job whose workers joined and left, with the worker sets"
                            + " that server 0 reports: 1:0,1;57:0,1,2 means workers 0 and 1 from clock 1 on, and also"
                            + " worker 2 from clock 57 on.")
    private WorkerSetsOption.WorkerSets workerSets;

    @Option(
            names = "--record",
            paramLabel = "FILE",
            hidden = true,
            description = "With --reference: write the updates of worker 0 at the last clocks, see UpdateRecording.")
    private Path record;

    /** Whether to run in one process. */
    boolean isWanted() {
        return reference;
    }

    /** Refuses options that are invalid or would have no effect. */
    void check() {
        ReportFile.requireWritable("--record", record);
        if (record != null && !reference) {
            throw new IllegalArgumentException("--record " + record + " needs --reference");
        }
        if (workerSets != null && !reference) {
            throw new IllegalArgumentException("--history needs --reference");
        }
        if (workerSets != null && record != null) {
            throw new IllegalArgumentException(
                    "--record " + record + " excludes --history: it records a fixed set of workers");
        }
    }

    /**
     * Trains the model in this process with the arithmetic of all workers, and prints the result.
     *
     * @param name name of the workload
     * @return the result, with the names of {@link JobReport}
     */
    JsonNode run(String name, Workload workload, ClusterSettings cluster, PrintWriter out) throws IOException {
        long startNs = System.nanoTime();
        Evaluations evaluations = new Evaluations();
        int workers = workerSets == null
                ? cluster.workers()
                : workerSets.workerSets().getFirst().size();
        float[] model = workerSets == null
                ? trainAlone(workload, workers, evaluations)
                : workload.reference(workerSets.workerSets(), progress(evaluations, null), UpdateListener.NONE);
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Workload.Part quality = workload.quality(evaluations);
        String hash = ReplicaHash.of(model);
        out.printf(
                "single process, arithmetic of %d workers: %s, %.1f s%n  replica: sha-256 %s%n",
                workers, quality.text(), seconds, hash);
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode report = mapper.createObjectNode();
        report.put("workload", name);
        report.put("dataset", workload.data().name());
        report.put("workers", workers);
        report.put("clocks", workload.clocks());
        report.setAll((ObjectNode) mapper.valueToTree(quality.fields()));
        report.put("seconds", seconds);
        report.put("replica_hash", hash);
        return report;
    }

    private float[] trainAlone(Workload workload, int workers, Evaluations evaluations) throws IOException {
        float[] model;
        UpdateRecording recording = new UpdateRecording(record == null ? 0 : workload.clocks());
        try (TrainProgress progress = new TrainProgress(workload.clocks())) {
            progress.show();
            model = workload.reference(workers, progress(evaluations, progress), recording);
        }
        if (record != null) {
            recording.write(record);
        }
        return model;
    }

    /** Collects all evaluations, and shows the clocks if there is a progress display. */
    private static Workload.Progress progress(Evaluations evaluations, TrainProgress shown) {
        return new Workload.Progress() {
            @Override
            public void onClock(int clock, double loss) {
                if (shown != null) {
                    shown.onClock(clock, loss);
                }
            }

            @Override
            public void onModel(int clock, Supplier<Map<String, Double>> figures) {
                evaluations.accept(new NodeEvent.Evaluated(0, clock, figures.get()));
            }
        };
    }
}
