package io.sluice.perf.codecs;

import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Entrant;
import io.sluice.perf.updates.TableShape;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry for the race of codecs. The compressors and both directions of one format and one type of values share a
 * JVM: compressors are native code, and the loops of the two directions are different ones.
 *
 * @param combination what to write
 * @param decodes whether it is the way back that is measured
 * @param shape of the table, one thread
 */
record CodecEntrant(Combination combination, boolean decodes, TableShape shape) implements Entrant {
    private static final long FRAMES = 1 << 24;

    /** Both directions of each combination. */
    static List<CodecEntrant> all(List<Combination> combinations, TableShape shape) {
        List<CodecEntrant> all = new ArrayList<>();
        for (Combination combination : combinations) {
            all.add(new CodecEntrant(combination, false, shape));
            all.add(new CodecEntrant(combination, true, shape));
        }
        return all;
    }

    @Override
    public String name() {
        return (decodes ? "decode " : "encode ") + combination.configName();
    }

    @Override
    public String group() {
        return combination.formatWord() + " " + combination.values().configName();
    }

    @Override
    public long elements() {
        return shape.elements();
    }

    @Override
    public int threads() {
        return 1;
    }

    @Override
    public long memory() {
        return shape.memory() + FRAMES;
    }

    @Override
    public Contestant prepare(int thread) {
        return decodes ? new DecodeContestant(shape, combination) : new EncodeContestant(shape, combination);
    }
}
