package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that are wrong: one line that names the fault, before anything is started. */
@Timeout(400)
@Isolated("takes over standard error")
class BadOptionsTest {

    static Stream<Arguments> unknownNames() {
        return Stream.of(
                Arguments.of("train perceptron", "perceptron"),
                Arguments.of("juggle", "juggle"),
                Arguments.of("trian lr", "train"),
                Arguments.of("train lr --bogus", "--bogus"),
                Arguments.of(
                        "train lr --filter reciprocal:1", "filter is 'reciprocal:1', expected one of none; dvf:DELTA"));
    }

    static Stream<Arguments> lines() {
        return Stream.of(
                Arguments.of("train lr --worker 3", "did you mean --workers?"),
                Arguments.of("train lr --workers many", "--workers"),
                Arguments.of("train lr --clocks", "--clocks"),
                Arguments.of("train lr --workers 0", "workers is 0, expected 1 or more"),
                Arguments.of("train lr --servers -1", "servers is -1, expected 1 or more"),
                Arguments.of("train lr --workers 70000", "70002"),
                Arguments.of("train lr --max-servers 3", "--max-servers is 3, but --max-workers is not set"),
                Arguments.of(
                        "train lr --max-workers 4 --max-servers 1",
                        "--max-servers is 1, expected the 2 of --servers or more"),
                Arguments.of("train lr --clocks 0", "clocks is 0, expected 1 or more"),
                Arguments.of("train lr --batch 0", "batch is 0, expected 1 or more"),
                Arguments.of("train lr --history 1:0,1", "--history needs --reference"),
                Arguments.of("train lr --reference --history 1:1,0", "first clock of each worker set"),
                Arguments.of("train lr --json no/such/folder/result.json", "does not exist"),
                Arguments.of("train lr --json /", "--json / is a folder, expected a file"),
                Arguments.of("train lr --json /proc/none.json", "--json /proc/none.json cannot be written to"),
                Arguments.of("train lr --learning-rate NaN", "learning rate is NaN"),
                Arguments.of("train lr --consistency ssp:x", "consistency is 'ssp:x', expected ssp:S with S from 0"),
                Arguments.of("train lr --consistency ssp:-1", "consistency is 'ssp:-1'"),
                Arguments.of("train lr --protocol pull", "--protocol"),
                Arguments.of(
                        "train lr --protocol managed", "protocol is managed, expected another protocol, or a link"),
                Arguments.of("train lr --batches 0", "batches is 0, expected 1 or more"),
                Arguments.of("train lr --protocol push-pull --values bf16", "--values is bf16, but has no effect with"),
                Arguments.of("train lr --protocol push-pull --filter none", "--filter is none, but has no effect"),
                Arguments.of("train lr --protocol push-pull --delta 0.2", "--delta is 0.2, but has no effect"),
                Arguments.of("train lr --filter some", "filter is 'some', expected one of none; dvf:DELTA"),
                Arguments.of("train lr --filter density", "filter is 'density', expected density:D"),
                Arguments.of("train lr --filter density:2", "2.0 is not above 0 and at most 1"),
                Arguments.of("train lr --filter dvf:0.1 --delta 0.2", "omit one of them"),
                Arguments.of("train lr --filter none --delta 0.5", "--filter none does not use it"),
                Arguments.of("train lr --filter fixed --delta NaN", "delta is NaN"),
                Arguments.of("train lr --delta -0.1", "delta is -0.1"),
                Arguments.of("train lr --compress zip", "'zip', expected auto or one of none; lz4; snappy; zstd"),
                Arguments.of("train lr --link-rate fast", "link rate is 'fast'"),
                Arguments.of("train lr --link-rate 1bit", "link rate is 1, expected 1000 to"),
                Arguments.of("train lr --transport pigeon", "--transport"),
                Arguments.of("train lr --placement here", "placement is 'here', expected one of uniform;"),
                Arguments.of("train lr --slice 0", "slice elements is 0, expected 1 to 65536"),
                Arguments.of("train lr --slice 65537", "slice elements is 65537"),
                Arguments.of("train lr --features 1000000", "1000000"),
                Arguments.of("train lr --loss 1.5", "1.5"),
                Arguments.of("train lr --loss -0.1", "-0.1"),
                Arguments.of("train lr --loss 0.1", "loss is 0.1, expected 0: in shared memory nothing is lost"),
                Arguments.of("train lr --heartbeat-ms 1", "heartbeat ms is 1"),
                Arguments.of("train lr --liveness-ms 10", "liveness ms is 10"),
                Arguments.of("server --coordinate --workers 0", "workers is 0"),
                Arguments.of("server --cluster nowhere", "nowhere"),
                Arguments.of("server --coordinate --cluster 10.1.2.3:40100", "10.1.2.3, which other hosts can reach"),
                Arguments.of("train lr --seal", "--seal needs a secret"),
                Arguments.of("server --coordinate --seal", "there is no secret to derive keys from"),
                Arguments.of("train lr --secret-file no/such/file", "there is no secret file no/such/file: make one"),
                Arguments.of("worker lr --secret-file no/such/file", "there is no secret file no/such/file: make one"),
                Arguments.of("server --threading own", "'own', expected one of invoker, shared, dedicated"),
                Arguments.of("worker lr --cluster localhost:99999", "99999"),
                Arguments.of("server --workers 3", "--workers is only for the coordinating server"),
                Arguments.of("server --restore", "--restore is only for the coordinating server"),
                Arguments.of("server --coordinate --coordinators 127.0.0.1:1,127.0.0.1:9", "expected --cluster with"),
                Arguments.of("worker lr --leave-after 0", "--leave-after is 0, expected 1 or more"),
                Arguments.of("train lr --budget-rate 1", "sluice: link budget is '1', expected bits per second"),
                Arguments.of("secret no/such/file", "the folder of no/such/file does not exist"),
                Arguments.of("train lr --secret-file /", "the secret file / is a folder"),
                Arguments.of("driver --loss 2", "2"));
    }

    static Stream<Arguments> linesOfOtherWorkloads() {
        return Stream.of(
                Arguments.of("train mf --rank 0", "rank is 0, expected 1 or more"),
                Arguments.of("train mf --lambda -1", "lambda is -1.0, expected a finite number, 0 or more"),
                Arguments.of("train mf --passes 0", "passes is 0, expected 1 or more"),
                Arguments.of("train mf --clocks-per-pass 0", "clocks per pass is 0, expected 1 or more"),
                Arguments.of("train mf --learning-rate 0", "learning rate is 0.0, expected a positive number"),
                Arguments.of("train mf --dataset netflix", "'netflix', expected one of movielens, planted"),
                Arguments.of("train mf --dataset movielens", "--dataset movielens needs --data DIR"),
                Arguments.of("train mf --dataset planted --data x", "--data is x, expected none with --dataset"),
                Arguments.of("train mlr --dataset mnist", "'mnist', expected one of fashion-mnist, brown, planted"),
                Arguments.of("train mlr --classes 9", "--classes is 9, expected 10 to 100,000"),
                Arguments.of("train mlr --features 0", "--features is 0, expected 1 to 4,294,967"),
                Arguments.of("train mlr --examples 499", "--examples is 499, expected 500 to 1,000,000"),
                Arguments.of(
                        "train mlr --dataset brown --data x --classes 10",
                        "--classes is 10, expected none with the data set brown"),
                Arguments.of("train mlr --stop-words x", "--stop-words is x, expected none with the data set planted"),
                Arguments.of("train mf --batch 3", "unknown option '--batch'"),
                Arguments.of("train mf --clocks 10", "unknown option '--clocks'; did you mean --passes?"),
                Arguments.of("train lda --clocks 10", "unknown option '--clocks'; did you mean --passes?"),
                Arguments.of("driver --dir /tmp/d", "unknown option '--dir'; did you mean --aeron-dir?"),
                Arguments.of("train mf --delta 0.1", "--delta is 0.1, but --filter none does not use it"));
    }

    static Stream<Arguments> linesThatContradictThemselves() {
        return Stream.of(
                Arguments.of("train lr --bogus 3", "unknown option '--bogus' (see"),
                Arguments.of("train lr --worker 3", "unknown option '--worker'; did you mean --workers?"),
                Arguments.of("trian lr", "unknown command 'trian'; did you mean train? (see"),
                Arguments.of("train linear", "unknown command 'linear' (see sluice train --help)"),
                Arguments.of(
                        "train",
                        "Missing required subcommand, expected one of lr, mf, mlr, lda, cnn (see sluice train --help)"),
                Arguments.of(
                        "train lr --max-workers 4 --on-death wait --snapshots s --wait-limit 20",
                        "--wait-limit is 20, expected none with --max-workers"),
                Arguments.of(
                        "train lr --consistency ssp:2 --snapshots no",
                        "consistency is ssp:2, expected bsp or another ordered rule with snapshots"),
                Arguments.of(
                        "train lr --protocol push-pull --snapshots no",
                        "protocol is push-pull, expected update with snapshots"),
                Arguments.of(
                        "train lr --on-death wait --filter adaptive:0.1,0.2",
                        "filter is adaptive:0.1,0.2, expected one that repeats its choices"));
    }

    @ParameterizedTest
    @MethodSource({"unknownNames", "lines", "linesOfOtherWorkloads", "linesThatContradictThemselves"})
    void areRefusedInOneLine(String line, String fault) {
        String said = InThisJvm.refusal(ExitCode.USAGE, (Object[]) line.split(" "));
        assertTrue(said.contains(fault), said);
    }

    /**
     * An option given twice is refused, also a term of the cluster, which the help lists under a heading of its own.
     */
    @ParameterizedTest
    @ValueSource(strings = {"train lr --clocks 2 --clocks 3", "train lr --clocks 2 --liveness-ms 500 --clocks 2"})
    void anOptionIsGivenOnce(String line) {
        areRefusedInOneLine(line, "option '--clocks' (N) should be specified only once");
        areRefusedInOneLine(
                line.replace("--clocks", "--servers"), "option '--servers' (P) should be specified only once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"train lr --slice 0", "driver --loss 2"})
    void endTheProcessWithoutATrace(String line) {
        try (CliRun run = Cli.plain().start((Object[]) line.split(" "))) {
            run.assertRefused(ExitCode.USAGE);
            assertEquals("", run.out());
        }
    }
}
