package io.sluice.consistency.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.policy.Policies;
import io.sluice.messaging.api.Budget;
import io.sluice.tree.topology.Topology;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSettingsTest {
    private static String refusal(ClusterSettingsBuilder builder) {
        return assertThrows(IllegalArgumentException.class, builder::build).getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "IPC, , none",
        "UDP, , auto",
        "UDP, none, none",
        "IPC, auto, auto",
        "IPC, lz4, lz4",
        "UDP, snappy, snappy",
        "UDP, zstd, zstd"
    })
    void compressionFollowsTheTransportUnlessItIsNamed(TransportKind transport, String word, String expected) {
        ClusterSettings settings =
                ClusterSettings.builder().compressor(word).transport(transport).build();
        assertEquals(expected, settings.compressor());
    }

    @Test
    void linkRateIsReadAsPeopleWriteIt() {
        assertEquals(1_000_000_000, ClusterSettings.builder().build().linkRate());
        assertEquals(
                200_000_000,
                ClusterSettings.builder().linkRate("200mbit").build().linkRate());
    }

    @Test
    void refusalsNameTheValueAndWhatWasExpected() {
        assertEquals(
                "compressor is 'zip', expected auto or one of none; lz4; snappy; zstd",
                refusal(ClusterSettings.builder().compressor("zip")));
        assertEquals(
                "link rate is 'fast', expected bits per second such as 1gbit or 200mbit",
                refusal(ClusterSettings.builder().linkRate("fast")));
        assertEquals(
                "link rate is 999, expected 1000 to 10000000000000 bits per second",
                refusal(ClusterSettings.builder().linkRate("999bit")));
    }

    @Test
    void placesForServersAreAtLeastTheServersAndMoreOnlyInElasticJobs() {
        assertEquals(3, ClusterSettings.builder().servers(3).build().serverPlaces());
        assertEquals(
                4,
                ClusterSettings.builder()
                        .servers(3)
                        .serverPlaces(4)
                        .places(1)
                        .build()
                        .serverPlaces());
        assertEquals(
                "places for servers is 2, expected the 3 of the start or more",
                refusal(ClusterSettings.builder().servers(3).serverPlaces(2).places(1)));
        assertEquals(
                "places for servers is 4, expected the 3 of the start, or also places for workers, without which no"
                        + " node joins while the job runs",
                refusal(ClusterSettings.builder().servers(3).serverPlaces(4)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bsp | none | f32 | managed | protocol is managed, expected update with rule adarevision:1",
                "tap | none | f32 | update | consistency is tap, expected bsp or ssp:S with S up to 15 with rule"
                        + " adarevision:1",
                "backup:1 | none | f32 | update | consistency is backup:1, expected bsp or ssp:S with S up to 15",
                "bsp | dvf:0 | f32 | update | filter is dvf:0, expected none with rule adarevision:1, because a"
                        + " residual",
                "ssp:16 | none | f32 | update | consistency is ssp:16, expected bsp or ssp:S with S up to 15",
                "ssp:2 | none | bf16 | update | values is bf16, expected f32 or f32-packed with rule adarevision:1",
            })
    void aRuleThatRevisesNeedsExactPushes(
            String consistency, String filter, String values, String protocol, String words) {
        String refused = refusal(ClusterSettings.builder()
                .workers(2)
                .rule("adarevision:1")
                .consistency(consistency)
                .filter(filter)
                .values(values)
                .linkBudget("100mbit", 100_000)
                .protocol("managed".equals(protocol) ? Protocol.MANAGED : Protocol.UPDATE));
        assertTrue(refused.startsWith(words), refused);
    }

    @ParameterizedTest
    @CsvSource({
        "ssp:1, update, 'consistency is ssp:1, expected bsp or another ordered rule with rule mean;weighted'",
        "tap, update, 'consistency is tap, expected bsp or another ordered rule with rule mean;weighted'",
        "backup:1, update, 'consistency is backup:1, expected bsp or another ordered rule with rule mean;weighted'",
        "bsp, push-pull, 'protocol is push-pull, expected update with rule mean;weighted'",
    })
    void aRuleThatWeighsNeedsOrderedPushes(String consistency, String protocol, String words) {
        ClusterSettingsBuilder terms = ClusterSettings.builder()
                .workers(2)
                .rule("mean;weighted")
                .consistency(consistency)
                .protocol("update".equals(protocol) ? Protocol.UPDATE : Protocol.PUSH_PULL);
        assertEquals(words, refusal(terms));
        terms.consistency("drift:1,4").protocol(Protocol.UPDATE).build();
    }

    /** The longest frame has the weight of its push. */
    @Test
    void aBurstHasRoomForAWeight() {
        ClusterSettingsBuilder terms =
                ClusterSettings.builder().sliceElements(8).linkBudget("100mbit", 128);
        terms.rule("mean").build();
        assertEquals(
                "link burst is 128, expected 160 or more bytes, which slices of 8 elements take with headers",
                refusal(terms.rule("mean;weighted")));
    }

    @Test
    void argumentsOfCompressorsAreChecked() {
        assertEquals(
                "compressor is 'lz4:9', expected lz4: it has 1 argument",
                refusal(ClusterSettings.builder().compressor("lz4:9")));
    }

    @Test
    void orderAndBudgetsAreReadAndRefusedByName() {
        ClusterSettings settings = ClusterSettings.builder()
                .order("layer,magnitude")
                .linkBudget("100mbit", 100_000)
                .build();
        assertTrue(settings.queues());
        assertEquals(new Budget(100_000_000, 100_000), settings.linkBudget());
        assertEquals(Budget.NONE, settings.nodeBudget());
        assertFalse(ClusterSettings.builder().build().queues());
        assertEquals(
                "order is 'first', expected one of these, or several separated by commas: fifo; layer; magnitude;"
                        + " relative; round-robin; random[:SEED]",
                refusal(ClusterSettings.builder().order("first")));
        Topology.Builder many = new Topology.Builder();
        int edge = many.edge(many.aggregation("a", 1e9, 1e9), "e", 1e9, 1e9);
        IntStream.range(0, 3_000).forEach(i -> many.host(edge, "h" + i * 7, 1e9, 1e9));
        String tooLong = refusal(ClusterSettings.builder().topology(many.build()));
        assertTrue(tooLong.matches("topology is \\d+ characters long, .*, expected up to 16384: .*"), tooLong);
        assertTrue(refusal(ClusterSettings.builder().tree("oak")).startsWith("tree is 'oak'"));
        assertEquals(
                "link burst is 60000, expected 66880 or more bytes, which slices of 16320 elements take with headers",
                refusal(ClusterSettings.builder().linkBudget("100mbit", 60_000)));
        assertTrue(
                refusal(ClusterSettings.builder().nodeBudget("much", 100_000)).startsWith("node budget is 'much'"));
    }

    @Test
    void managedCommunicationNeedsABudgetAndSumsInAnyOrder() {
        ClusterSettingsBuilder managed = ClusterSettings.builder().protocol(Protocol.MANAGED);
        assertEquals(
                "protocol is managed, expected another protocol, or a link budget or node budget: protocol managed"
                        + " sends early only what a budget leaves unused",
                refusal(managed));
        ClusterSettings settings = managed.nodeBudget("100mbit", 100_000).build();
        assertTrue(settings.isManaged() && settings.queues());
        assertFalse(Policies.rule(settings).ordered());
        assertEquals("bsp", Policies.rule(settings).name());
        assertTrue(Policies.rule(ClusterSettings.builder().build()).ordered());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tern", "qsgd:7", "tern;group=64", "qsgd:7;warmup=2;seed=1"})
    void managedCommunicationNeedsTheFeedbackOfQuantisers(String quantiser) {
        ClusterSettingsBuilder managed =
                ClusterSettings.builder().protocol(Protocol.MANAGED).nodeBudget("100mbit", 100_000);
        String expected = " is " + quantiser
                + ", expected the option feedback, without which protocol managed sends nearly all elements as f32";
        assertEquals("filter" + expected, refusal(managed.filter(quantiser)));
        managed.filter(quantiser + ";feedback").broadcastFilter("w", quantiser);
        assertEquals("broadcast filter" + expected, refusal(managed));
        managed.broadcastFilter("w", "sign").build();
        ClusterSettings.builder().filter(quantiser).build();
    }

    @Test
    void aDecayNeedsUpdatesThatAreFilteredAtOnce() {
        String policy = "topk:0.03;decay=0.95";
        ClusterSettings.builder().filter(policy).broadcastFilter("none").build();
        assertTrue(refusal(ClusterSettings.builder().filter(policy)).startsWith("broadcast filter is " + policy));
        for (String consistency : List.of("ssp:2", "tap", "drift:1,4")) {
            String refusal = refusal(ClusterSettings.builder()
                    .filter(policy)
                    .broadcastFilter("none")
                    .consistency(consistency));
            assertTrue(
                    refusal.startsWith("filter is " + policy + ", expected a filter without the option decay"),
                    refusal);
        }
        assertTrue(refusal(ClusterSettings.builder()
                        .protocol(Protocol.MANAGED)
                        .nodeBudget("100mbit", 100_000)
                        .filter(policy)
                        .broadcastFilter("none"))
                .startsWith("filter is " + policy));
    }

    /** A node without a library must fail when it joins, not when the first such frame arrives. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd", "auto"})
    void bothSidesOfEveryKindCanBeMade(String kind) {
        ClusterSettings settings = ClusterSettings.builder().compressor(kind).build();
        assertEquals(0, Policies.newCompressor(settings).report().rows().size());
        assertEquals(settings, ClusterSettings.builder().compressor(kind).build());
        Policies.newAcceptedCompressors(settings);
    }
}
