package io.sluice.consistency.standard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Property;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelection.Site;
import io.sluice.consistency.spi.FactorSelectionProvider;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of selections, their arguments, and what every selection keeps to. */
class FactorSelectionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "some | selection is 'some', expected one of all; joint:C with C from 1 to 65535; power:C with C from"
                        + " 1",
                "'' | selection is '', expected one of all",
                "all:3 | selection is 'all:3', expected all: it has 1 argument",
                "all;x | there is no option 'x'",
                "joint | expected joint:C with C from 1 to 65535: it has 0 arguments",
                "joint:0 | : '0' is not a whole number from 1 to 65535",
                "joint:65536 | : '65536' is not a whole number from 1 to 65535",
                "joint:2,3 | it has 2 arguments",
                "power:-1 | : '-1' is not a whole number",
                "power:many | : 'many' is not a whole number",
            })
    void refusesOthersByName(String text, String words) {
        String message = assertThrows(IllegalArgumentException.class, () -> FactorSelections.named(text))
                .getMessage();
        assertTrue(message.contains(words), message);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1, 0, 'rows is 0, expected 1 or more'",
        "1, -2, 1, 0, 'columns is -2, expected 1 or more'",
        "1, 1, 0, 0, 'groups is 0, expected 1 or more'",
        "1, 1, 1, -1, 'worker is -1, expected 0 or more'"
    })
    void refusesImpossiblePlaces(int rows, int columns, int groups, int worker, String words) {
        String message = assertThrows(IllegalArgumentException.class, () -> new Site(rows, columns, groups, worker, 7))
                .getMessage();
        assertEquals(words, message);
    }

    @ParameterizedTest
    @CsvSource({"all, 100, 100", "joint:25, 100, 25", "joint:25, 10, 10", "power:25, 100, 25", "first, 9, 1"})
    void statesTheMostThatItSends(String text, int groups, int sent) {
        assertEquals(sent, FactorSelections.named(text).sent(groups));
    }

    @Test
    void allSendsTheGroupsAsTheyAre() {
        Groups groups = new Groups(new Site(3, 4, 5, 0, 1));
        groups.add(new double[] {1, 2, 3}, new double[] {4, 5, 6, 7});
        groups.add(new double[] {8, 9, 1}, new double[] {2, 3, 4, 5});
        double[][] sum = groups.sum(2);
        assertEquals(2, groups.select(FactorSelections.named(FactorSelections.ALL), 1));
        assertEquals(0, Groups.distance(sum, groups.sum(2)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "joint:3", "power:3", "joint:20", "power:20"})
    void sendsNoMoreThanItStates(String text) {
        FactorSelection.Policy policy = FactorSelections.named(text);
        Property.holds(50, random -> {
            Site site = new Site(random.nextInt(1, 9), random.nextInt(1, 9), random.nextInt(1, 9), 0, 1);
            FactorSelection selection = policy.create(site);
            for (int clock = 1; clock <= 10; clock++) {
                Groups groups = new Groups(site);
                for (int i = random.nextInt(site.groups() + 1); i > 0; i--) {
                    groups.addRandom(random);
                }
                int sent = groups.select(selection, clock);
                assertTrue(sent >= 0 && sent <= policy.sent(site.groups()), sent + " of " + site);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "joint:5"})
    void allocatesNothing(String text) {
        requireNoAllocation(text);
    }

    /** The vector kernels of a selection allocate until they are compiled. */
    @Test
    @Tag("slow")
    void powerAllocatesNothingOnceCompiled() {
        requireNoAllocation("power:5");
    }

    private static void requireNoAllocation(String text) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Site site = new Site(12, 17, 20, 0, 1);
        FactorSelection selection = FactorSelections.named(text).create(site);
        Property.holds(1, random -> {
            Groups groups = new Groups(site);
            for (int i = 0; i < site.groups(); i++) {
                groups.addRandom(random);
            }
            int clean = 0;
            long clock = 0;
            while (clean < 100 && clock < 100_000) {
                clock++;
                long before = threads.getCurrentThreadAllocatedBytes();
                groups.select(selection, clock);
                clean = threads.getCurrentThreadAllocatedBytes() == before ? clean + 1 : 0;
            }
            assertEquals(100, clean, "clocks in a row that allocate nothing");
        });
    }

    /** A selection as a user would write it; registered in META-INF/services of the tests. */
    public static final class First implements FactorSelectionProvider {
        @Override
        public String configName() {
            return "first";
        }

        @Override
        public String form() {
            return "first";
        }

        @Override
        public FactorSelection.Policy create(PolicySpec spec) {
            return new FactorSelection.Policy() {
                @Override
                public int sent(int groups) {
                    return 1;
                }

                @Override
                public FactorSelection create(Site site) {
                    return (u, v, count, clock) -> Math.min(1, count);
                }
            };
        }
    }
}
