package io.sluice.consistency.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.consistency.ChildNode;
import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.replica.CoordinatorMember;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.tree.topology.TopologyFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs a program in a JVM whose class path has no optional dependency. */
@Timeout(240)
class OptionalLibrariesTest {
    private static final int MOST_SECONDS = 60;
    private static final List<String> OPTIONAL = List.of("zstd-jni", "aeron-cluster", "aeron-archive");

    /** The program. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            train(settings());
            System.out.println("trained");
            attempt(() -> train(settings().compressor("zstd")));
            attempt(() -> CoordinatorMember.launch(new CoordinatorContext()).close());
            attempt(() -> TopologyFile.read(Path.of("topology.yaml")));
        }

        private static ClusterSettingsBuilder settings() {
            return ClusterSettings.builder().servers(1).workers(2);
        }

        private static void train(ClusterSettingsBuilder settings) throws InterruptedException {
            LocalCluster.run(settings.build(), Program::train);
        }

        private static void train(Worker worker) {
            Table table = worker.table("t", 1, 2);
            worker.start(Initialiser.ZEROS);
            table.sync();
            table.update(new float[] {1, 2});
            worker.clock();
            worker.drain();
        }

        private interface Attempt {
            void run() throws Exception;
        }

        private static void attempt(Attempt attempt) throws Exception {
            try {
                attempt.run();
            } catch (MissingLibraryException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    @Tag("slow")
    void aWorkerDoesWithoutThemAndWhatNeedsOneNamesIt() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(ChildNode.command(Program.class));
        command.set(command.indexOf("-cp") + 1, withoutOptional());
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            CompletableFuture.delayedExecutor(MOST_SECONDS, TimeUnit.SECONDS).execute(child::destroyForcibly);
            String said = new String(child.getInputStream().readAllBytes());
            assertEquals(
                    List.of(
                            "trained",
                            "compressor zstd needs com.github.luben:zstd-jni, which is not on the class path:"
                                    + " add it to the dependencies",
                            "a member of several coordinators needs io.aeron:aeron-cluster, which is not on the class"
                                    + " path: add it to the dependencies",
                            "a topology file needs com.fasterxml.jackson.dataformat:jackson-dataformat-yaml, which is"
                                    + " not on the class path: add it to the dependencies"),
                    said.lines().toList());
            assertEquals(0, child.waitFor());
        } finally {
            child.destroyForcibly();
        }
    }

    private static String withoutOptional() {
        List<String> entries = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        for (String library : OPTIONAL) {
            assertTrue(
                    entries.stream().anyMatch(entry -> isOf(library, entry)), library + " is in no entry: " + entries);
        }
        return entries.stream()
                .filter(entry -> OPTIONAL.stream().noneMatch(library -> isOf(library, entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isOf(String library, String entry) {
        return Path.of(entry).getFileName().toString().startsWith(library);
    }
}
