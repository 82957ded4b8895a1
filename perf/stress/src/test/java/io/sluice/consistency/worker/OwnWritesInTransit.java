package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A read of own writes while the agent moves them from the buffer into the copy that is read. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the increment, once")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "to be read again")
@Outcome(expect = Expect.FORBIDDEN, desc = "no increment, half of it, or twice")
@State
public class OwnWritesInTransit {
    private final RowBuffer buffer = new RowBuffer(new TableSpec(0, "w", 1, 2, 2));
    private final SliceSequences sequences = new SliceSequences(1);
    private final float[] copy = new float[2];

    public OwnWritesInTransit() {
        buffer.add(0, new float[] {1, 1});
    }

    @Actor
    public void push() {
        float[] residual = new float[2];
        buffer.move(MemorySegment.ofArray(residual), sequences::begin, slice -> {});
        copy[0] = residual[0];
        copy[1] = residual[1];
        sequences.end(0);
    }

    @Actor
    public void read(II_Result r) {
        int number = sequences.number(0);
        float[] row = {copy[0], copy[1]};
        buffer.addTo(0, row);
        boolean keeps = sequences.isSame(0, number);
        r.r1 = keeps ? (int) row[0] : -1;
        r.r2 = keeps ? (int) row[1] : -1;
    }
}
