package io.sluice.perf.race;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LatenciesTest {
    @Test
    void comeThroughWithTheirTimes() throws IOException {
        Tally tally = new Tally();
        for (long nanos = 1; nanos < 200_000_000_000L; nanos *= 3) {
            tally.latency(nanos);
        }
        Histogram sent = tally.turn(1, 1, 1_234_567).latencies();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        Latencies.write(sent, out);
        Latencies.write(null, out);
        out.writeInt(7);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        Histogram received = Latencies.read(in);
        assertEquals(sent, received);
        assertEquals(1_234_567, received.getStartTimeStamp());
        assertEquals(sent.getEndTimeStamp(), received.getEndTimeStamp());
        assertNull(Latencies.read(in));
        assertEquals(7, in.readInt());
    }

    @Test
    void aTurnWithoutAnyHasNone() {
        Tally tally = new Tally();
        assertNull(tally.turn(1, 1, 0).latencies());
        tally.latency(5);
        tally.clear();
        assertNull(tally.turn(1, 1, 0).latencies());
    }
}
