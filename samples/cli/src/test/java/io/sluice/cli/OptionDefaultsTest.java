package io.sluice.cli;

import static io.sluice.codecs.api.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class OptionDefaultsTest {

    @Command(name = "job")
    private static final class Job {
        @Mixin
        private LrOptions lr;

        @ArgGroup(validate = false)
        private ClusterOptions terms = new ClusterOptions();
    }

    private static Job parsed(List<String> arguments) {
        Job job = new Job();
        new CommandLine(job).parseArgs(arguments.toArray(String[]::new));
        return job;
    }

    @Test
    void defaultsAreThoseOfTheStudy() throws IOException {
        Job job = parsed(List.of());
        assertEquals(new DescentSettings(200, 128, 400, 1), job.lr.settings());
        assertEquals(
                ClusterSettings.builder()
                        .servers(2)
                        .workers(4)
                        .protocol(Protocol.UPDATE)
                        .consistency("bsp")
                        .filter("dvf:0.1")
                        .compressor("none")
                        .transport(TransportKind.IPC)
                        .placement("uniform")
                        .sliceElements(16_320)
                        .heartbeatMs(250)
                        .livenessMs(2_500)
                        .linkRate("1gbit")
                        .order("fifo")
                        .linkBudget("none", 0)
                        .nodeBudget("none", 0)
                        .onDeath(DeathPolicy.FAIL)
                        .build(),
                job.terms.settings());
    }

    @Test
    void childProcessesGetThemUnchanged() throws IOException {
        assertPassedOn(List.of());
        assertPassedOn(List.of("--clocks=7", "--batch=9", "--learning-rate=0.3", "--seed=-4"));
        assertPassedOn(List.of(
                "--workers=3",
                "--servers=5",
                "--consistency=ssp:4",
                "--filter=none",
                "--values=bf16-packed",
                "--compress=lz4",
                "--transport=udp",
                "--placement=largest-first",
                "--slice=77",
                "--heartbeat-ms=20",
                "--liveness-ms=900",
                "--link-rate=200mbit",
                "--order=layer,magnitude",
                "--budget-rate=10mbit",
                "--node-budget-rate=20mbit",
                "--budget-burst=100000",
                "--on-death=shrink"));
        assertPassedOn(List.of("--on-death=wait", "--wait-limit=20"));
        assertPassedOn(List.of("--filter=dvf", "--delta=1e-9"));
        assertPassedOn(List.of("--delta=0.2"));
        assertPassedOn(List.of("--protocol=push-pull"));
        assertPassedOn(List.of("--filter=budget:2mb;every=3"));
        assertPassedOn(List.of("--filter=budget:auto"));
        assertPassedOn(List.of("--filter=adaptive:0.1,0.5", "--min-rate=50mbit"));
        assertPassedOn(List.of("--filter=users=none", "--filter=dvf", "--delta=0.5", "--broadcast-filter=fixed"));
        assertPassedOn(List.of("--filter=a=density:0.01;warmup=5", "--broadcast-filter=b=topk:0.1;warmup=2"));
        assertPassedOn(List.of("--rule=users=adam:0.1", "--values=users=bf16", "--slice=users=77", "--slice=99"));
        assertPassedOn(List.of("--transport=udp"));
        assertPassedOn(List.of("--transport=udp", "--compress=none"));
        assertPassedOn(List.of("--compress=auto"));
        Path network = Files.createTempFile("network", ".yaml");
        try {
            Files.writeString(network, "edges: [{name: rack, hosts: ['a[1-9]']}]");
            assertPassedOn(List.of("--tree=chain", "--topology=" + network));
        } finally {
            Files.delete(network);
        }
    }

    @Test
    void termsOfOneTableLeaveThoseOfOthers() throws IOException {
        ClusterSettings terms = parsed(List.of(
                        "--filter=users=density:0.01;warmup=5",
                        "--delta=0.5",
                        "--broadcast-filter=items=dvf",
                        "--rule=items=mean",
                        "--slice=users=77"))
                .terms
                .settings();
        assertEquals(
                new TableTerms("density:0.01;warmup=5", "density:0.01;warmup=5", "sum", F32, 77), terms.table("users"));
        assertEquals(new TableTerms("dvf:0.5", "dvf:0.5", "mean", F32, 16_320), terms.table("items"));
        assertEquals(new TableTerms("dvf:0.5", "dvf:0.5", "sum", F32, 16_320), terms.table("others"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--filter=dvf:1 --filter=none | --filter is dvf:1 and none, expected one value for all tables",
                "--rule=a=mean --rule=a=sum | --rule is a=mean and a=sum, expected one value for table a",
                "--slice=a=many | --slice is many, expected a whole number of floats, 1 to 65536",
                "--filter=none --broadcast-filter=none --delta=1 | --delta is 1.0, but --filter none does not use it",
                "--filter=a=dvf:x | table a: filter is 'dvf:x'"
            })
    void twoValuesForATableAndMalformedOnesAreRefused(String arguments, String words) {
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> parsed(List.of(arguments.split(" "))).terms.settings());
        assertTrue(refusal.getMessage().startsWith(words), refusal.getMessage());
    }

    @Test
    void nodesGetTheOptionsOfMatrixFactorisation() {
        List<String> given = List.of(
                "--data", "/ratings",
                "--dataset", "movielens",
                "--rank", "7",
                "--lambda", "0.3",
                "--passes", "9",
                "--clocks-per-pass", "4",
                "--learning-rate", "0.2",
                "--seed", "-4");
        MfOptions options = CommandLine.populateCommand(new MfOptions(), given.toArray(String[]::new));
        assertEquals(given, options.arguments());
    }

    @Test
    void nodesGetTheOptionsOfSoftmaxRegression() {
        List<String> given = List.of(
                "--data", "/texts",
                "--stop-words", "/stop",
                "--dataset", "brown",
                "--classes", "11",
                "--features", "12",
                "--examples", "13",
                "--clocks", "7",
                "--batches", "2",
                "--batch", "9",
                "--learning-rate", "0.2",
                "--seed", "-4",
                "--factors", "power:3",
                "--multicast", "random:2;sync=8");
        MlrOptions options = CommandLine.populateCommand(new MlrOptions(), given.toArray(String[]::new));
        assertEquals(given, options.arguments());
    }

    @Test
    void compressionFollowsTheTransportUnlessItIsNamed() throws IOException {
        assertEquals("none", compression("--transport=ipc"));
        assertEquals("auto", compression("--transport=udp"));
        assertEquals("none", compression("--transport=udp", "--compress=none"));
        assertEquals("zstd", compression("--transport=udp", "--compress=zstd"));
        assertEquals("auto", compression("--transport=ipc", "--compress=auto"));
    }

    @Test
    void filterAndDelta() throws IOException {
        assertEquals("dvf:0.1", filter());
        assertEquals("dvf:0.3", filter("--delta=0.3"));
        assertEquals("dvf:0.1", filter("--filter=dvf", "--delta=0.1"));
        assertEquals("fixed:0.1", filter("--filter=fixed"));
        assertEquals("fixed:0.0", filter("--filter=fixed", "--delta=0"));
        assertEquals("dvf:0.25", filter("--filter=dvf:0.25"));
        assertEquals("none", filter("--filter=none"));
        assertEquals("density:0.01;warmup=9", filter("--filter=density:0.01;warmup=9"));
        assertEquals("budget:2mb", filter("--filter=budget:2mb"));
        assertEquals("adaptive:0.1,0.5;min=50mbit", filter("--filter=adaptive:0.1,0.5", "--min-rate=50mbit"));
        assertThrows(IllegalArgumentException.class, () -> filter("--filter=dvf:0.1", "--min-rate=50mbit"));
        assertThrows(IllegalArgumentException.class, () -> filter("--min-rate=50mbit"));
        assertThrows(IllegalArgumentException.class, () -> filter("--filter=adaptive:0.1,0.5", "--min-rate=fast"));
    }

    private static String filter(String... arguments) throws IOException {
        return parsed(List.of(arguments))
                .terms
                .settings()
                .table(TableTerms.OTHERS)
                .filter();
    }

    private static String compression(String... arguments) throws IOException {
        return parsed(List.of(arguments)).terms.settings().compressor();
    }

    private static void assertPassedOn(List<String> arguments) throws IOException {
        Job parent = parsed(arguments);
        assertEquals(parent.lr.settings(), parsed(parent.lr.arguments()).lr.settings());
        assertEquals(
                parent.terms.settings(), parsed(parent.terms.arguments()).terms.settings());
    }

    @Test
    void childProcessesGetTheAbsolutePathOfTheDataFile() throws IOException {
        List<String> arguments =
                parsed(List.of("--data=mails.txt", "--features=12")).lr.arguments();
        assertTrue(arguments.get(arguments.indexOf("--data") + 1).startsWith("/"), arguments.toString());
        assertEquals("12", arguments.get(arguments.indexOf("--features") + 1));
    }
}
