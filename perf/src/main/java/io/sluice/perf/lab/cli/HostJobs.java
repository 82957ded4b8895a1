package io.sluice.perf.lab.cli;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.console.ExitCode;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.nodes.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The commands on the hosts of a lab. Each line of output is printed with the name of its host. */
final class HostJobs {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Lab lab;
    private final PrintWriter out;
    private final PrintWriter err;
    private final List<Job> jobs = new ArrayList<>();
    private final Map<Job, Integer> codes = new ConcurrentHashMap<>();
    private final BlockingQueue<Job> ended = new LinkedBlockingQueue<>();

    /** The end of a command on a host; the exit code is {@code null} if it was ended with the lab. */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record End(int host, String command, Integer exitCode) {}

    private record Job(int host, List<String> words, ChildProcess process) {}

    HostJobs(Lab lab, PrintWriter out, PrintWriter err) {
        this.lab = lab;
        this.out = out;
        this.err = err;
    }

    /** Starts a command on a host. Its standard input is empty. */
    void start(int number, List<String> words) throws IOException {
        Host host = lab.host(number);
        String name = host.link().name() + " | ";
        ChildProcess process = new ChildProcess(
                name, host.process(words), line -> show(name + line, out), line -> show(name + line, err), () -> {});
        process.closeInput();
        Job job = new Job(number, words, process);
        synchronized (jobs) {
            jobs.add(job);
        }
        process.onEnd(() -> ended.add(job));
    }

    private static void show(String line, PrintWriter to) {
        to.println(line);
        to.flush();
    }

    /**
     * Waits until all commands have ended, one has failed, or the time is up.
     *
     * @return 0, or the exit code of the command that failed
     */
    int await(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        int code = ExitCode.OK;
        for (int left = jobs.size(); left > 0 && code == ExitCode.OK; left--) {
            Job job = ended.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (job == null) {
                return ExitCode.OK;
            }
            code = job.process().exitValue();
            if (!lab.isClosed()) {
                codes.put(job, code);
            }
        }
        for (Job job : jobs) {
            // After the failure of one command, others may still write.
            job.process().awaitLines(code == ExitCode.OK ? PATIENCE : Duration.ofMillis(100));
        }
        return code;
    }

    /** The exit codes of commands, and the commands that have not ended by themselves. */
    List<End> ends() {
        List<End> all = new ArrayList<>();
        synchronized (jobs) {
            for (Job job : jobs) {
                all.add(new End(job.host(), String.join(" ", job.words()), codes.get(job)));
            }
        }
        return all;
    }
}
