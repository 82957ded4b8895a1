package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code kill -9} of one process of a job: within seconds all others end with the reason. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class DeadProcessTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Tag("trial")
    @Test
    void aWorkerEndsTheJob() {
        assertEndsTheJob("worker lr --index 1", "worker 1");
    }

    @Test
    @Tag("trial")
    void aServerEndsTheJob() {
        assertEndsTheJob("server --index 1", "server 1");
    }

    @Test
    @Tag("slow")
    void theCoordinatorEndsTheJob() {
        assertEndsTheJob("server --index 0 --coordinate", "server 0");
    }

    private static void assertEndsTheJob(String command, String name) {
        try (CliRun run = EndlessJob.training("--processes")) {
            long killedNs = System.nanoTime();
            assertTrue(run.child(command).destroyForcibly());
            assertEquals(ExitCode.CLUSTER, run.exitCode(SOON), run::toString);
            String said = run.assertOneLine();
            System.out.printf("%s killed: all over %d ms later, '%s'%n", name, Until.millisSince(killedNs), said);
            assertTrue(said.contains(name), said);
            assertFalse(said.contains("Exception"), said);
        }
    }

    @Test
    @Tag("trial")
    void aJobThatMayShrinkContinuesWithoutAWorker() {
        Object[] job = {"train", "lr", "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16};
        List<Object> command = new ArrayList<>(List.of(job));
        command.addAll(List.of("--clocks", 3_000, "--on-death", "shrink"));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            assertTrue(run.child("worker lr --index 1").destroyForcibly());
            run.assertFine();
            assertTrue(run.out().contains("worker 1 was lost"), run::toString);
            assertTrue(run.out().contains("2 of 3 workers finished"), run::toString);
            assertTrue(run.out().contains("replicas identical"), run::toString);
            assertTrue(run.err().contains("sluice: worker 1 was ended by signal 9: the others continue without it"));
        }
    }

    @Test
    @Tag("slow")
    void aJobThatMayShrinkReportsThatItNeedsItsServers() {
        Object[] job = {"train", "lr", "--workers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 1_000_000};
        List<Object> command = new ArrayList<>(List.of(job));
        command.addAll(List.of("--on-death", "shrink"));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            assertTrue(run.child("server --index 1").destroyForcibly());
            assertEquals(ExitCode.CLUSTER, run.exitCode(), run::toString);
            String end = "sluice: server 1 was ended by signal 9: the job ends, because --on-death shrink";
            assertTrue(run.err().contains(end), run::toString);
        }
    }

    @Test
    @Tag("slow")
    void theParentEndsItsChildrenAndTheNextJobCleansUp() {
        try (CliRun run = EndlessJob.training("--processes")) {
            assertEquals(4, run.children(), run::toString);
            run.kill();
            run.exitCode(SOON);
            System.out.printf("parent killed: all children over %d ms later%n", run.assertFamilyEnds());
            LrRun.report("--workers", 1, "--servers", 1, "--features", 1 << 12, "--clocks", 1);
            assertFalse(Files.exists(run.jobDirectory()), run.jobDirectory() + " is stale");
        }
    }
}
