package io.sluice.cli;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.Protocol;
import java.io.PrintWriter;

/** The report of a training job, formatted for people. */
final class JobReportPage {
    private final PrintWriter out;
    private final JobReport report;
    private final JobReport.Terms terms;
    private final JobReport.Outcome outcome;
    private final JobReport.Volume volume;

    JobReportPage(JobReport report, PrintWriter out) {
        this.out = out;
        this.report = report;
        this.terms = report.terms();
        this.outcome = report.outcome();
        this.volume = report.volume();
    }

    void print() {
        out.printf(
                "%n%s, %s: %d workers, %d servers, %s over %s, slices of %,d, values as %s%n",
                report.dataset(),
                report.size().text(),
                terms.workers(),
                terms.servers(),
                terms.consistency(),
                terms.transport(),
                terms.slice(),
                terms.values());
        out.printf("  %s after %s%n", report.quality().text(), report.training().text());
        if (!report.remark().isEmpty()) {
            out.printf("  %s%n", report.remark());
        }
        out.printf(
                "  first clock %.1f s after the start; %.1f s of training, of which a worker computes %.1f, filters and"
                        + " sends %.1f, and waits %.1f on average%n",
                outcome.firstClockSeconds(),
                outcome.seconds(),
                outcome.computeSeconds(),
                outcome.pushSeconds(),
                outcome.waitSeconds());
        printLosses();
        printVolume();
        printCompression();
        out.printf("%n  kept %.3f %% of the elements%n", 100 * report.keptFraction());
        if (outcome.lastThreshold() > 0) {
            out.printf(
                    "  largest residual %.4g, last threshold %.4g%n",
                    outcome.residualMaxAbs(), outcome.lastThreshold());
        }
        out.printf(
                "  staleness at most %d, %d frames rejected, %s kernels%n",
                outcome.maxStaleness(), outcome.framesRejected(), outcome.kernels());
        out.printf(
                "  replicas %s: sha-256 %s%n",
                outcome.replicasIdentical() ? "identical" : "DIFFER", outcome.replicaHash());
        out.flush();
    }

    private void printLosses() {
        for (ServerReport.Loss loss : outcome.workersLost()) {
            out.printf("  %s%n", loss.sentence());
        }
        if (!outcome.workersLost().isEmpty()) {
            out.printf("  %d of %d workers finished%n", outcome.workersFinished(), terms.workers());
        }
        if (outcome.nodesStartedAgain() > 0) {
            out.printf("  dead nodes that were restarted: %d%n", outcome.nodesStartedAgain());
        }
        if (outcome.jobStartedAgain() > 0) {
            out.printf("  restarts of all nodes together: %d%n", outcome.jobStartedAgain());
        }
        if (outcome.wasStartedAgain()) {
            out.printf("  seconds, bytes, broadcasts and rejected frames are those of the processes that completed%n");
        }
    }

    private void printVolume() {
        out.printf("%n  %-44s %15s%n", "pushed and broadcast, in total", "bytes");
        report.baselines().forEach(baseline -> printRow(baseline.label(), baseline.bytes()));
        printRow("this run: " + how(), volume.bytes());
        out.printf(
                "    of which pushed %,d in %,d frames, broadcast %,d in %,d%n",
                volume.bytesPushed(), volume.framesPushed(), volume.bytesBroadcast(), volume.framesBroadcast());
        if (!outcome.workersLost().isEmpty()) {
            out.printf(
                    "    pushed bytes are those of %d workers that finished; calculated rows include lost workers%n",
                    outcome.workersFinished());
        }
        if (volume.bytesPeer() > 0) {
            out.printf("    workers sent %,d bytes to each other%n", volume.bytesPeer());
        }
        if (volume.bytesRelayed() > 0) {
            out.printf("    relays forwarded %,d bytes of the broadcasts%n", volume.bytesRelayed());
        }
        if (volume.framesEarly() > 0) {
            out.printf("    %,d of these frames were sent before their clock ended%n", volume.framesEarly());
        }
    }

    private void printCompression() {
        if (!report.compression().isEmpty()) {
            out.printf(
                    "%n  %-16s %-8s %10s %10s %9s %9s %9s   %s%n",
                    "compression", "by", "tried", "sent", "to", "saved", "seconds", "in use by");
        }
        for (CompressionRow row : report.compression()) {
            out.printf(
                    "  %-16s %-8s %,10d %,10d %7.1f %% %,9d %9.3f   %d of %d nodes%n",
                    row.frameClass(),
                    row.compressor(),
                    row.framesTried(),
                    row.framesCompressed(),
                    100.0 * row.bytesOut() / row.bytesIn(),
                    row.bytesSaved(),
                    row.encodeSeconds(),
                    row.senders(),
                    terms.workers() + terms.servers());
        }
    }

    private void printRow(String what, long bytes) {
        out.printf("  %-44s %,15d%s%n", what, bytes, share(bytes));
    }

    /** The bytes as a share of those of the first baseline; empty if there is none. */
    private String share(long bytes) {
        if (report.baselines().isEmpty()) {
            return "";
        }
        double ratio = (double) report.baselines().getFirst().bytes() / bytes;
        return "   " + (ratio < 0.97 ? "x%.2f".formatted(1 / ratio) : ratio < 1.05 ? "1" : "1/%.1f".formatted(ratio));
    }

    private String how() {
        boolean filters = !Protocol.PUSH_PULL.configName().equals(terms.protocol());
        String how = filters ? "filter " + terms.policy() : terms.protocol();
        return "none".equals(terms.compressor()) ? how : how + ", " + terms.compressor();
    }
}
