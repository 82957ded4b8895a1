package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.spi.ConsistencyRule;
import java.lang.foreign.MemorySegment;

/** Decides whether a worker pushes a table in a round. This class always does. For the trainer's thread. */
class PushGate {
    static final PushGate OPEN = new PushGate();

    private PushGate() {}

    /** Creates the gate of a rule. */
    static PushGate of(ConsistencyRule rule) {
        return rule.withholds() ? new Drift(rule) : OPEN;
    }

    /** Whether the update must be in the residual before the gate can decide. */
    boolean looksAtResidual() {
        return false;
    }

    /** Whether the table is pushed in a round. */
    boolean isOpen(Table table, long round) {
        return true;
    }

    /** Asks the rule, with the norms of the residual and of the replica. Reads both once; allocates nothing. */
    private static final class Drift extends PushGate {
        /**
         * Number of partial sums, which the processor adds in parallel. It is fixed, so that all machines decide alike.
         */
        private static final int SUMS = 4;

        private final ConsistencyRule rule;

        Drift(ConsistencyRule rule) {
            this.rule = rule;
        }

        @Override
        boolean looksAtResidual() {
            return true;
        }

        @Override
        boolean isOpen(Table table, long round) {
            long elements = table.spec().elements();
            return rule.pushes(round, norm(table.residual(), elements), norm(table.replica(), elements));
        }

        private static double norm(MemorySegment values, long elements) {
            double a = 0;
            double b = 0;
            double c = 0;
            double d = 0;
            long whole = elements - elements % SUMS;
            for (long i = 0; i < whole; i += SUMS) {
                a += square(values, i);
                b += square(values, i + 1);
                c += square(values, i + 2);
                d += square(values, i + 3);
            }
            for (long i = whole; i < elements; i++) {
                a += square(values, i);
            }
            return Math.sqrt(a + b + c + d);
        }

        private static double square(MemorySegment values, long index) {
            double value = values.getAtIndex(JAVA_FLOAT, index);
            return value * value;
        }
    }
}
