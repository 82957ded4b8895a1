package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread adds to a row whose slice is marked, while another adds too, clears the mark, and moves the row. */
@JCStressTest
@Outcome(id = "3, 3", expect = Expect.ACCEPTABLE, desc = "all increments, each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "an increment is lost or counted twice")
@State
public class LostIncrements {
    private static final float[] ONES = {1, 1};

    private final RowBuffer buffer = new RowBuffer(new TableSpec(0, "w", 1, 2, 2));
    private final MemorySegment residual = MemorySegment.ofArray(new float[2]);

    public LostIncrements() {
        buffer.add(0, ONES);
    }

    @Actor
    public void add() {
        buffer.add(0, ONES);
    }

    @Actor
    public void addAndMove() {
        buffer.add(0, new int[] {1, 0}, ONES, 2);
        buffer.move(residual, slice -> {}, slice -> {});
    }

    @Arbiter
    public void end(II_Result r) {
        buffer.move(residual, slice -> {}, slice -> {});
        r.r1 = (int) residual.get(JAVA_FLOAT, 0);
        r.r2 = (int) residual.get(JAVA_FLOAT, Float.BYTES);
    }
}
