package io.sluice.perf.codecs;

import io.sluice.perf.race.Quartiles;
import io.sluice.perf.race.Result;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Row;
import java.util.ArrayList;
import java.util.List;

/**
 * Both directions of one combination.
 *
 * @param encode from bitmap and values to the frame
 * @param decode from the frame to the replica
 */
record CodecResult(Result<CodecEntrant> encode, Result<CodecEntrant> decode) {
    private static final double MS_PER_SECOND = 1e3;

    /** Pairs the results of a race of {@link CodecEntrant#all}. */
    static List<CodecResult> of(List<Result<CodecEntrant>> results) {
        List<CodecResult> pairs = new ArrayList<>();
        for (int i = 0; i < results.size(); i += 2) {
            pairs.add(new CodecResult(results.get(i), results.get(i + 1)));
        }
        return pairs;
    }

    Combination combination() {
        return encode.entrant().combination();
    }

    /** Bytes on the wire for each element of the table. */
    double bytesPerElement() {
        return encode.bytes() / encode.entrant().elements();
    }

    /** Bits on the wire for each value kept; {@code null} if none is. */
    Double bitsPerKept() {
        return encode.values() == 0 ? null : Byte.SIZE * encode.bytes() / encode.values();
    }

    /** Seconds to encode one element of the table. */
    double encodeSeconds() {
        return 1 / encode.elementsPerSecond().median();
    }

    /** Seconds to decode one element of the table. */
    double decodeSeconds() {
        return 1 / decode.elementsPerSecond().median();
    }

    /**
     * The two rows of this combination.
     *
     * @param paper the result of {@link Combination#PAPER} in the same race
     */
    List<Row> rows(CodecResult paper) {
        return List.of(row("encode", encode, paper, paper.encode), row("decode", decode, paper, paper.decode));
    }

    private Row row(String kernel, Result<CodecEntrant> result, CodecResult paper, Result<CodecEntrant> paperSame) {
        CodecEntrant entrant = result.entrant();
        Quartiles rate = result.elementsPerSecond();
        double elements = entrant.elements();
        return new Row(
                kernel,
                entrant.elements(),
                entrant.shape().kept(),
                result.values() / elements,
                entrant.shape().source().label(),
                1,
                Machine.preferredVectorBits(),
                combination().values().configName(),
                combination().formatWord(),
                combination().compressor(),
                MS_PER_SECOND * elements / rate.median(),
                rate.median(),
                rate.low(),
                rate.high(),
                null,
                null,
                Math.round(encode.bytes()),
                bitsPerKept(),
                bytesPerElement() / Float.BYTES,
                bytesPerElement() / paper.bytesPerElement(),
                rate.median() / paperSame.elementsPerSecond().median());
    }
}
