package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.EnvelopeEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.codecs.sbe.WelcomeEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class FrameTest {
    @Test
    void constantsAreThoseOfTheSchema() {
        int envelope = MessageHeaderEncoder.ENCODED_LENGTH + DataEncoder.envelopeEncodingOffset();

        assertEquals(MessageHeaderEncoder.ENCODED_LENGTH, Frame.HEADER_LENGTH);
        assertEquals(MessageHeaderEncoder.blockLengthEncodingOffset(), Frame.BLOCK_LENGTH_OFFSET);
        assertEquals(MessageHeaderEncoder.templateIdEncodingOffset(), Frame.TEMPLATE_ID_OFFSET);
        assertEquals(MessageHeaderEncoder.schemaIdEncodingOffset(), Frame.SCHEMA_ID_OFFSET);
        assertEquals(MessageHeaderEncoder.versionEncodingOffset(), Frame.VERSION_OFFSET);
        assertEquals(envelope + EnvelopeEncoder.clusterIdEncodingOffset(), Frame.CLUSTER_ID_OFFSET);
        assertEquals(envelope + EnvelopeEncoder.checksumEncodingOffset(), Frame.CHECKSUM_OFFSET);
        assertEquals(Frame.CHECKSUM_OFFSET + EnvelopeEncoder.checksumEncodingLength(), Frame.CHECKSUM_END);
        assertEquals(envelope + EnvelopeEncoder.epochEncodingOffset(), Frame.EPOCH_OFFSET);
        assertEquals(envelope + EnvelopeEncoder.originEncodingOffset(), Frame.ORIGIN_OFFSET);
        assertEquals(envelope + EnvelopeEncoder.ENCODED_LENGTH, Frame.ENVELOPE_END);
        assertEquals(Frame.HEADER_LENGTH + DataEncoder.BLOCK_LENGTH, Frame.DATA_LENGTH);
        assertEquals(0, RoundCommitEncoder.envelopeEncodingOffset());
        assertEquals(0, WelcomeEncoder.envelopeEncodingOffset());
    }

    @Test
    void accessorsReadWhatTheFlyweightsWrote() {
        FrameBuffer frame = new FrameBuffer(256);
        SampleFrame.ROUND_COMMIT.encode(frame);
        ByteBuffer golden =
                ByteBuffer.wrap(GoldenFrame.named("ROUND_COMMIT").bytes()).order(ByteOrder.LITTLE_ENDIAN);

        assertEquals(RoundCommitEncoder.BLOCK_LENGTH, Frame.blockLength(frame.buffer(), 0));
        assertEquals(RoundCommitEncoder.TEMPLATE_ID, Frame.templateId(frame.buffer(), 0));
        assertEquals(Frame.SCHEMA_ID, Frame.schemaId(frame.buffer(), 0));
        assertEquals(Frame.SCHEMA_VERSION, Frame.version(frame.buffer(), 0));
        assertEquals(SampleFrame.CLUSTER, Frame.clusterId(frame.buffer(), 0));
        assertEquals(3, Frame.epoch(frame.buffer(), 0));
        assertEquals(2, Frame.origin(frame.buffer(), 0));
        assertEquals(golden.getInt(16), Frame.checksum(frame.buffer(), 0));
    }
}
