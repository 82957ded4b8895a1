package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.EventDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.sbe.SnapshotOutcomeDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import io.sluice.codecs.spi.BlockFormat;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads bytes as a receiver reads them from a link, and checks that they are refused for a reason, or are a correct
 * frame. Every exception is a fault.
 *
 * <p>A frame that only its checksum would refuse is opened and used like a valid one, as by a receiver of shared
 * memory.
 */
public final class FrameJudge {
    private static final int ROOM = 1 << 19;

    private final FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
    private final DataFrameDecoder[] decoders = {
        new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, AcceptedCompressors.named("lz4", "snappy", "zstd")),
        new DataFrameDecoder(128, AcceptedCompressors.named("lz4"))
    };
    private final UnsafeBuffer room;
    private final Consumer<DataFrameDecoder> use;
    private long accepted;
    private long unverified;

    private FrameJudge(UnsafeBuffer room, Consumer<DataFrameDecoder> use) {
        this.room = room;
        this.use = use;
    }

    /** Creates a judge that reads frames through a buffer that ends where they do. */
    static FrameJudge inOrdinaryMemory() {
        return new FrameJudge(new FrameBuffer(ROOM).buffer(), opened -> {});
    }

    /**
     * Creates a judge that reads frames where a read beyond their end kills the process.
     *
     * @param use processes accepted data frames
     */
    public static FrameJudge inGuardedMemory(Consumer<DataFrameDecoder> use) {
        return new FrameJudge(GuardedMemory.allocate(ROOM), use);
    }

    /** Number of frames that passed all checks so far. */
    long accepted() {
        return accepted;
    }

    /** Number of frames that failed only the check of the checksum. */
    long unverified() {
        return unverified;
    }

    /**
     * Validates a frame.
     *
     * @return why it was refused, or {@code null}
     */
    Rejection judge(byte[] bytes, int length) {
        int offset = room.capacity() - length;
        room.putBytes(offset, bytes, 0, length);
        Rejection structure = validator.validateStructure(room, offset, length);
        Rejection whole = validator.validate(room, offset, length);
        if (structure != null) {
            assertEquals(structure, whole, "the checksum is looked at last");
            return structure;
        }
        Rejection content = use(offset, length);
        if (whole != null) {
            assertEquals(Rejection.BAD_CHECKSUM, whole, "all else was valid");
            unverified += content == null ? 1 : 0;
            return whole;
        }
        accepted += content == null ? 1 : 0;
        return content;
    }

    private Rejection use(int offset, int length) {
        Rejection rejection = null;
        if (Frame.templateId(room, offset) == DataDecoder.TEMPLATE_ID) {
            open(decoders[1], offset, length);
            rejection = open(decoders[0], offset, length);
            if (rejection == null) {
                use.accept(decoders[0]);
            }
        } else {
            readThrough(new UnsafeBuffer(room, offset, length));
        }
        return rejection;
    }

    /**
     * Validates the start of a block without its frame, against any numbers.
     *
     * @return whether it was found valid
     */
    boolean judgeBlock(byte[] bytes, int length, BlockFormat format, ValueType type, int elements, int count) {
        int offset = room.capacity() - length;
        room.putBytes(offset, bytes, 0, length);
        int indicesLength =
                BlockValidator.validate(OffHeap.address(room, offset), length, format, type, elements, count);
        assertTrue(
                indicesLength >= -1 && indicesLength <= length,
                "the indices take " + indicesLength + " of " + length + " bytes");
        return indicesLength >= 0;
    }

    private Rejection open(DataFrameDecoder decoder, int offset, int length) {
        Rejection rejection = decoder.wrap(room, offset, length);
        if (rejection == null) {
            assertTrue(decoder.elements() >= 1 && decoder.elements() <= BlockFormat.MAX_ELEMENTS);
            assertTrue(decoder.format().permits(decoder.elements(), decoder.count()));
            assertIndicesAreSound(Indices.of(decoder), decoder.elements());
            assertValuesAreReadable(decoder);
        }
        return rejection;
    }

    private static void assertIndicesAreSound(int[] indices, int elements) {
        int previous = -1;
        for (int index : indices) {
            assertTrue(index > previous && index < elements, "index " + index + " behind " + previous);
            previous = index;
        }
    }

    private static void assertValuesAreReadable(DataFrameDecoder decoder) {
        long end = decoder.blockAddress() + decoder.blockLength();
        int count = decoder.count();
        long columnEnd = decoder.valuesAddress() + decoder.valueType().length(decoder.valuesAddress(), count);
        assertEquals(end, columnEnd, "the values end where the block does");
        if (decoder.blockLength() > 0) {
            OffHeap.ALL.get(JAVA_BYTE, decoder.blockAddress());
            OffHeap.ALL.get(JAVA_BYTE, end - 1);
        }
    }

    /** Reads the fields after the root with the generated decoders, which throw when they leave the buffer. */
    private static void readThrough(UnsafeBuffer buffer) {
        assertEquals(buffer.capacity(), end(buffer), "the message ends where its frame does");
    }

    private static int end(UnsafeBuffer buffer) {
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        return switch (Frame.templateId(buffer, 0)) {
            case DeclarationDecoder.TEMPLATE_ID -> {
                DeclarationDecoder declaration = new DeclarationDecoder().wrapAndApplyHeader(buffer, 0, header);
                declaration.name();
                yield declaration.limit();
            }
            case JoinDecoder.TEMPLATE_ID -> {
                JoinDecoder join = new JoinDecoder().wrapAndApplyHeader(buffer, 0, header);
                join.endpoint();
                join.host();
                join.skipOlder();
                yield join.limit();
            }
            case WelcomeDecoder.TEMPLATE_ID -> readWelcome(buffer, header);
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, 0, header);
                error.message();
                yield error.limit();
            }
            case EventDecoder.TEMPLATE_ID -> {
                EventDecoder event = new EventDecoder().wrapAndApplyHeader(buffer, 0, header);
                event.skipContent();
                yield event.limit();
            }
            case SnapshotOutcomeDecoder.TEMPLATE_ID -> {
                SnapshotOutcomeDecoder outcome = new SnapshotOutcomeDecoder().wrapAndApplyHeader(buffer, 0, header);
                outcome.reason();
                yield outcome.limit();
            }
            case ChallengeDecoder.TEMPLATE_ID -> {
                ChallengeDecoder challenge = new ChallengeDecoder().wrapAndApplyHeader(buffer, 0, header);
                challenge.skipProof();
                yield challenge.limit();
            }
            case ProofDecoder.TEMPLATE_ID -> {
                ProofDecoder proof = new ProofDecoder().wrapAndApplyHeader(buffer, 0, header);
                proof.endpoint();
                proof.host();
                proof.skipOlder();
                proof.skipProof();
                yield proof.limit();
            }
            case LeadDecoder.TEMPLATE_ID -> {
                LeadDecoder lead = new LeadDecoder().wrapAndApplyHeader(buffer, 0, header);
                lead.skipProof();
                yield lead.limit();
            }
            default -> Frame.HEADER_LENGTH + Frame.blockLength(buffer, 0);
        };
    }

    private static int readWelcome(UnsafeBuffer buffer, MessageHeaderDecoder header) {
        WelcomeDecoder welcome = new WelcomeDecoder().wrapAndApplyHeader(buffer, 0, header);
        welcome.consistency();
        welcome.tables();
        welcome.placement();
        welcome.compressor();
        welcome.order();
        welcome.tree();
        welcome.topology();
        welcome.skipState();
        return welcome.limit();
    }
}
