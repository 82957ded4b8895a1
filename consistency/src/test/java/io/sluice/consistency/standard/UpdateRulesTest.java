package io.sluice.consistency.standard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.spi.UpdateRuleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of rules, their arguments, and what a wrong one is told. */
class UpdateRulesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sums | rule is 'sums', expected one of sum; mean; adagrad:R; adarevision:R",
                "'' | rule is '', expected one of sum",
                "sum:1 | rule is 'sum:1', expected sum: it has 1 argument",
                "mean;x=1 | there is no option 'x'",
                "mean;weighted=2 | option weighted is '2', which has no value",
                "momentum:1;weighted | expected momentum:R[,B][;outer][;weighted], a finite rate above 0 and B from 0",
                "nesterov:1,0.5;weighted | the option weighted needs the option outer",
                "adam:1;weighted | there is no option 'weighted'",
                "adagrad | expected adagrad:R, a finite rate above 0: it has 0 arguments",
                "adagrad:0 | 0.0 is not a finite f32 above 0",
                "adarevision:1e39 | 1.0E39 is not a finite f32 above 0",
                "adarevision:fast | is not a number",
                "momentum:0.1,1 | 1.0 is not from 0 to below 1",
                "nesterov:0.1,0.9,0.9 | it has 3 arguments",
                "adam:0.1,0.9 | it has 2 arguments",
                "adam:NaN | NaN is not a finite f32 above 0",
            })
    void refusesOthersByName(String text, String words) {
        String message = assertThrows(IllegalArgumentException.class, () -> UpdateRules.named(text))
                .getMessage();
        assertTrue(message.contains(words), message);
    }

    @ParameterizedTest
    @CsvSource({
        "sum, 0, false, false, false",
        "mean, 0, true, false, false",
        "mean;weighted, 0, false, false, true",
        "adagrad:0.1, 1, true, false, false",
        "adarevision:0.1, 2, true, true, false",
        "momentum:0.1, 1, false, false, false",
        "momentum:0.1;outer;weighted, 1, false, false, true",
        "'nesterov:0.7,0.9', 1, false, false, false",
        "'nesterov:0.7,0.9;weighted;outer', 1, false, false, true",
        "adam:0.001, 2, false, false, false",
        "halved, 0, true, false, false"
    })
    void statesWhatItNeeds(String text, int floats, boolean each, boolean revises, boolean weighs) {
        UpdateRule rule = UpdateRules.named(text);
        assertEquals(floats, rule.stateFloats());
        assertEquals(each, rule.isForEachPush());
        assertEquals(revises, rule.revises());
        assertEquals(weighs, rule.weighs());
        assertEquals(revises || weighs, UpdateRules.tags(text));
    }

    @Test
    void defaultsAreThoseThatTheFormStates() {
        assertEquals(UpdateRules.named("momentum:2,0.9"), UpdateRules.named("momentum:2"));
        assertEquals(UpdateRules.named("nesterov:2,0.9"), UpdateRules.named("nesterov:2"));
        assertEquals(UpdateRules.named("adam:2,0.9,0.999"), UpdateRules.named("adam:2"));
    }

    /** An update rule as a user would write it; registered in META-INF/services of the tests. */
    public static final class Halved implements UpdateRuleProvider {
        @Override
        public String configName() {
            return "halved";
        }

        @Override
        public String form() {
            return "halved";
        }

        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions();
            return new UpdateRule() {
                @Override
                public boolean isForEachPush() {
                    return true;
                }

                @Override
                public void apply(Slice slice) {
                    for (int i = 0; i < slice.elements(); i++) {
                        float value = slice.pushed().getAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, i);
                        slice.pushed().setAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, i, value / 2);
                    }
                }
            };
        }
    }
}
