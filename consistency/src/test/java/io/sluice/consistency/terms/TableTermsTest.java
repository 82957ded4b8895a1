package io.sluice.consistency.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTermsTest {
    private static final List<String> FILTERS = List.of("none", "dvf:0.1", "density:0.01;warmup=5", "budget:2kb");
    private static final List<String> RULES = List.of("sum", "mean", "adam:0.1,0.9,0.99");

    private static String refusal(ClusterSettingsBuilder builder) {
        return assertThrows(IllegalArgumentException.class, builder::build).getMessage();
    }

    @Test
    void aTermThatDoesNotNameATableIsThatOfAllOthers() {
        ClusterSettings settings = ClusterSettings.builder()
                .filter("movies", "dvf:0.1")
                .filter("density:0.5")
                .values("users", "bf16")
                .sliceElements("movies", 400)
                .build();
        assertEquals(new TableTerms("dvf:0.1", "dvf:0.1", "sum", ValueType.F32, 400), settings.table("movies"));
        assertEquals(
                new TableTerms("density:0.5", "density:0.5", "sum", ValueType.BF16, 16_320), settings.table("users"));
        assertEquals(
                new TableTerms("density:0.5", "density:0.5", "sum", ValueType.F32, 16_320), settings.table("others"));
        assertEquals(16_320, settings.sliceElements());
        assertEquals("density:0.5 movies=dvf:0.1", settings.summary(TableTerms::filter));
        assertEquals("f32 users=bf16", settings.summary(terms -> terms.values().configName()));
    }

    @Test
    void broadcastsFollowThePushesOfATableUnlessTheyHaveAFilterOfTheirOwn() {
        ClusterSettingsBuilder builder = ClusterSettings.builder().filter("a", "dvf:0.1");
        assertEquals("dvf:0.1", builder.build().table("a").broadcastFilter());
        builder.broadcastFilter("fixed:2");
        assertEquals("fixed:2", builder.build().table("a").broadcastFilter());
        builder.broadcastFilter("a", "none");
        assertEquals("none", builder.build().table("a").broadcastFilter());
        assertEquals("none", builder.build().table("b").filter());
        assertEquals("fixed:2", builder.build().table("b").broadcastFilter());
    }

    @Test
    void theWelcomeCarriesAllTerms() {
        Property.holds(50, random -> {
            Map<String, TableTerms> tables = new LinkedHashMap<>();
            for (String name : List.of(TableTerms.OTHERS, "a", "b=c", "with blanks")) {
                tables.put(
                        name,
                        new TableTerms(
                                FILTERS.get(random.nextInt(FILTERS.size())),
                                FILTERS.get(random.nextInt(FILTERS.size())),
                                RULES.get(random.nextInt(RULES.size())),
                                ValueType.choices()
                                        .get(random.nextInt(ValueType.choices().size())),
                                random.nextInt(1, TableSpec.MAX_SLICE_ELEMENTS + 1)));
            }
            assertEquals(tables, TableTerms.parse(TableTerms.text(tables)));
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | line of tables is ''",
                "'*,none,none,sum,f32' | line of tables is",
                "'*,none,none,sum,f32,many' | line of tables is",
                "'*,none,none,sum,f32,0' | slice elements is 0, expected 1 to 65536",
                "'*,none,some,sum,f32,16' | filter is 'some', expected one of",
                "'*,none,none,max,f32,16' | rule is 'max', expected one of",
                "'*,none,none,sum,f33,16' | values must be f32",
                "'*,none,none,sum,f32,16;*,none,none,sum,f32,16' | table is *, expected one line"
            })
    void aMalformedWelcomeIsRefused(String text, String words) {
        String lines = text.replace(',', '\t').replace(';', '\n');
        String message = assertThrows(IllegalArgumentException.class, () -> TableTerms.parse(lines))
                .getMessage();
        assertTrue(message.startsWith(words), message);
    }

    @Test
    void refusalsNameTheTable() {
        assertTrue(refusal(ClusterSettings.builder().filter("movies", "dvf:x"))
                .startsWith("table movies: filter is 'dvf:x', expected dvf:DELTA"));
        assertTrue(refusal(ClusterSettings.builder().sliceElements("movies", 0))
                .startsWith("table movies: slice elements is 0, expected 1 to 65536"));
        assertTrue(refusal(ClusterSettings.builder()
                        .rule("movies", "adarevision:0.1")
                        .filter("dvf:0.1"))
                .startsWith("filter is dvf:0.1, expected none with rule adarevision:0.1 of table movies"));
        assertTrue(refusal(ClusterSettings.builder().rule("a\tb", "mean"))
                .startsWith("table is 'a\tb', expected 1 to 200 printable ASCII characters"));
        ClusterSettingsBuilder many = ClusterSettings.builder();
        for (int table = 0; table < 1_000; table++) {
            many.filter("table " + table, "dvf:0.1");
        }
        assertTrue(refusal(many).matches("terms of tables is \\d+ characters long, .*, expected up to 16384"));
    }

    @Test
    void aRuleThatRevisesNeedsExactPushesOfItsTableOnly() {
        ClusterSettings settings = ClusterSettings.builder()
                .rule("movies", "adarevision:0.1")
                .filter("dvf:0.1")
                .filter("movies", "none")
                .broadcastFilter("movies", "dvf:0.1")
                .build();
        assertEquals("sum movies=adarevision:0.1", settings.summary(TableTerms::rule));
    }
}
