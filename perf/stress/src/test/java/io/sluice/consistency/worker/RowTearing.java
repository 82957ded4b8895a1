package io.sluice.consistency.worker;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader of a slice that is written twice: it keeps one state of the slice, or knows that it has to read again. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "before the writes")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "between the writes")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the writes")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "to be read again")
@Outcome(expect = Expect.FORBIDDEN, desc = "half of a write")
@State
public class RowTearing {
    private final SliceSequences sequences = new SliceSequences(1);
    private int first;
    private int last;

    @Actor
    public void write() {
        for (int value = 1; value <= 2; value++) {
            sequences.begin(0);
            first = value;
            last = value;
            sequences.end(0);
        }
    }

    @Actor
    public void read(II_Result r) {
        int number = sequences.number(0);
        int one = last;
        int other = first;
        boolean keeps = sequences.isSame(0, number);
        r.r1 = keeps ? one : -1;
        r.r2 = keeps ? other : -1;
    }
}
