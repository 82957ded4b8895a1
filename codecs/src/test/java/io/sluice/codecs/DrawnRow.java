package io.sluice.codecs;

import java.lang.reflect.Method;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Skips the rows of a {@link Drawn} test that a run does not take. {@code -Dsluice.test.rows=one} draws one row of each
 * test, {@code slow} draws one of each slow test and takes all rows of the others, {@code all} takes all rows, and a
 * number takes the row with that number.
 */
final class DrawnRow implements ExecutionCondition {
    private static final String ROWS = System.getProperty("sluice.test.rows", "one");
    private static final long SEED = new SplittableRandom().nextLong();
    private static final Pattern INVOCATION = Pattern.compile(".*\\[test-template-invocation:#(\\d+)]");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Matcher invocation = INVOCATION.matcher(context.getUniqueId());
        boolean takesAll =
                ROWS.equals("all") || ROWS.equals("slow") && !context.getTags().contains("slow");
        if (takesAll || !invocation.matches()) {
            return ConditionEvaluationResult.enabled("all rows");
        }
        int taken = taken(context.getRequiredTestMethod());
        return taken == Integer.parseInt(invocation.group(1))
                ? ConditionEvaluationResult.enabled("row " + taken)
                : ConditionEvaluationResult.disabled("this run takes row " + taken + ", -Ptrials takes all");
    }

    /** The row of a test that this run takes. */
    private static int taken(Method test) {
        int rows = rows(test);
        return ROWS.matches("one|slow")
                ? 1 + new SplittableRandom(SEED ^ test.toString().hashCode()).nextInt(rows)
                : Math.min(rows, Integer.parseInt(ROWS));
    }

    private static int rows(Method test) {
        CsvSource lines = test.getAnnotation(CsvSource.class);
        ValueSource values = test.getAnnotation(ValueSource.class);
        int rows = lines == null ? 0 : lines.value().length;
        if (values != null) {
            rows = values.strings().length + values.ints().length + values.booleans().length;
        }
        if (rows == 0) {
            throw new IllegalStateException(
                    test + " is @Drawn without lines of a CsvSource, or texts, ints or booleans of a ValueSource");
        }
        return rows;
    }
}
