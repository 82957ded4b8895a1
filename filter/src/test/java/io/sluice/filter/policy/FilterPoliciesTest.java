package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.FilterPolicy;
import io.sluice.filter.spi.FilterPolicyProvider;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.ConstantThreshold;
import io.sluice.filter.threshold.ScheduledThreshold;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterPoliciesTest {
    private static final TableSite SITE = new TableSite(Kernels.scalar(), ValueType.F32, 1_000, 100);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none|none",
                "dvf:0.1|dvf",
                "dvf:0|dvf",
                "fixed:1e-3|fixed",
                "adaptive:0.1,0.5|adaptive",
                "adaptive:0.1,0.5;min=50mbit|adaptive",
                "budget:auto|budget",
                "density:1|density",
                "density:0.01;warmup=100;every=4|density",
                "sidco:0.001|sidco",
                "topk:0.01;warmup=0|topk",
                "topk:0.03;decay=0.95|topk",
                "dvf:1;decay=0|dvf",
                "sign|sign",
                "sign;group=0;warmup=100|sign",
                "tern;feedback;seed=7|tern",
                "qsgd:15;group=512;feedback|qsgd",
                "budget:65536|budget",
                "budget:1.5MB;warmup=9|budget",
            })
    void names(String spec, String word) {
        FilterPolicy policy = FilterPolicies.named(spec);
        assertEquals(spec, policy.spec());
        UpdateFilter filter = policy.create(SITE);
        assertEquals(word, filter.name());
        assertTrue(filter != policy.create(SITE), "each table has a filter of its own");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"|expected one of none; dvf:DELTA",
                "dfv:0.1|'dfv:0.1', expected one of none; dvf:DELTA; fixed:DELTA; adaptive:LOW,HIGH; density:D; ",
                "none:1|it has 1 argument",
                "none;every=3|there is no option 'every'",
                "dvf|it has 0 arguments",
                "dvf:|'' is not a number",
                "dvf:-1|-1.0 is not a finite f32 of 0 or more",
                "fixed:NaN|NaN is not a finite f32",
                "fixed:1e39|1.0E39 is not a finite f32",
                "dvf:1,2|it has 2 arguments",
                "dvf:0.1;warmup=3|there is no option 'warmup'",
                "adaptive:2,1|2.0 is above 1.0",
                "adaptive:1,2;min=50|option min is '50', which is not a rate such as 50mbit",
                "adaptive:1,2;min=-1mbit|option min is '-1mbit', which is not a rate",
                "adaptive:1,2;min=1bit|option min is '1bit', which is not within 1kbit",
                "dvf:1;min=1mbit|there is no option 'min'",
                "budget:AUTO|'AUTO' is not a number of bytes",
                "density:0|0.0 is not above 0 and at most 1",
                "density:1.01|1.01 is not above 0",
                "sidco:x|'x' is not a number",
                "density:0.1;every=0|option every is '0', which is not a whole number from 1",
                "density:0.1;warmup=-1|option warmup is '-1'",
                "density:0.1;warmup=1;warmup=2|option 'warmup=2' is given twice",
                "density:0.1;warmup|option warmup is '', which is not a whole number from 0",
                "topk:0.1;every=2|there is no option 'every'",
                "density:0.1;=3|option '=3' is given twice or has no name",
                "sign:1|it has 1 argument",
                "sign;feedback|there is no option 'feedback'",
                "sign;group=33|group 33 is not a multiple of 32 up to 65504, nor 0",
                "tern;group=65536|group 65536 is not a multiple of 32",
                "tern;feedback=yes|option feedback is 'yes', which has no value",
                "tern;feedback;feedback|option 'feedback' is given twice",
                "qsgd|it has 0 arguments",
                "qsgd:0|'0' is not a whole number from 1 to 127",
                "qsgd:128|'128' is not a whole number from 1 to 127",
                "budget:0|'0' is not within 1 byte",
                "topk:0.1;decay=1.5|option decay is '1.5', which is not a number from 0 to 1",
                "topk:0.1;decay=-1|option decay is '-1', which is not a number from 0 to 1",
                "topk:0.1;decay|option decay is '', which is not a number from 0 to 1",
                "none;decay=0.5|there is no option 'decay'",
                "sign;decay=0.5|there is no option 'decay'",
                "budget:2tb|'2tb' is not a number of bytes",
                "budget:-2mb|'-2mb' is not a number of bytes",
                "budget:999999999gb|'999999999gb' is not within",
            })
    void refuses(String spec, String reason) {
        String message = assertThrows(IllegalArgumentException.class, () -> FilterPolicies.named(spec))
                .getMessage();
        assertTrue(message.startsWith("filter is '" + spec + "', expected "), message);
        assertTrue(message.contains(reason), message);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "10b, 10", "2kb, 2048", "1.5mb, 1572864", "1gb, 1073741824"})
    void bytes(String text, long bytes) {
        assertEquals(bytes, new PolicySpec("filter", "budget:" + text, "").bytes(0));
    }

    @ParameterizedTest
    @CsvSource({
        "adaptive:0.1;0.5, 0, false",
        "adaptive:0.1;0.5;min=2.5Mbit, 2500000, false",
        "adaptive:0.1;0.5;min=1gbit, 1000000000, false",
        "budget:5kb, 0, false",
        "budget:auto;every=3, 0, true",
        "dvf:1, 0, false"
    })
    void saysWhatItWantsToKnow(String text, long leastRate, boolean followsRate) {
        FilterPolicy policy = FilterPolicies.named(text.replaceFirst(";0", ",0"));
        assertEquals(leastRate, policy.leastRate());
        assertEquals(followsRate, policy.followsRate());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void refusesSitesThatCannotBe(int what) {
        assertThrows(
                IllegalArgumentException.class,
                () -> new TableSite(
                        Kernels.scalar(),
                        ValueType.F32,
                        0,
                        what == 0 ? 0 : 10,
                        what == 1 ? 9 : 10,
                        what == 2 ? 0 : 10,
                        0,
                        FilterSite.NodeTraffic.ofFrames(what == 3 ? 9 : 10),
                        ConstantFeedback.UNWATCHED));
    }

    /** Registered in META-INF/services of the tests. */
    @Test
    void findsWhatUsersProvide() {
        FilterPolicy policy = FilterPolicies.named("every-other:2");
        assertEquals("every-other", policy.create(SITE).name());
        assertTrue(FilterPolicies.providers().stream().anyMatch(provider -> provider instanceof EveryOther));
        assertSame(StandardPolicy.NONE, FilterPolicies.providers().getFirst());
    }

    /** A class path that names a provider that does not exist. */
    @Test
    void namesTheProviderThatCannotBeLoaded(@TempDir Path classPath) throws IOException {
        Path services = Files.createDirectories(classPath.resolve("META-INF/services"));
        Files.writeString(services.resolve(FilterPolicyProvider.class.getName()), "org.example.Gone");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader broken =
                new URLClassLoader(new URL[] {classPath.toUri().toURL()}, before)) {
            thread.setContextClassLoader(broken);
            String message = assertThrows(IllegalArgumentException.class, () -> FilterPolicies.named("dvf:0.1"))
                    .getMessage();
            assertTrue(message.contains("org.example.Gone"), message);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** A filter policy as a user would write it. */
    public static final class EveryOther implements FilterPolicyProvider {
        @Override
        public String configName() {
            return "every-other";
        }

        @Override
        public String form() {
            return "every-other:N";
        }

        @Override
        public FilterPolicy create(PolicySpec spec) {
            float threshold = (float) spec.requireArguments(1).allowOptions().threshold(0);
            return new FilterPolicy() {
                @Override
                public String spec() {
                    return spec.text();
                }

                @Override
                public UpdateFilter create(FilterSite site) {
                    return new ValueBoundedFilter(
                            configName(), new ScheduledThreshold(new ConstantThreshold(threshold)), site.newSplitter());
                }
            };
        }
    }
}
