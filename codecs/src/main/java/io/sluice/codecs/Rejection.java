package io.sluice.codecs;

/**
 * Why a frame was dropped. A method that validates a frame returns {@code null} for a valid one.
 *
 * <p>The codecs' reasons are first; those from {@link #STALE_EPOCH} on depend on the state of the cluster and are used
 * by the layers above, so that one set of counters explains every dropped frame.
 */
public enum Rejection {
    /** The frame ends before its header, envelope or root does. */
    TRUNCATED("the frame ends before its header, envelope or root does"),
    /** The frame is not a Sluice frame. */
    FOREIGN_SCHEMA("the schema id is not that of Sluice"),
    /** The frame has another version of Sluice's protocol. */
    UNSUPPORTED_VERSION("the schema version is not supported"),
    /** This version has no such template. */
    UNKNOWN_TEMPLATE("the template id is not part of the schema"),
    /** The bytes changed in transit. */
    BAD_CHECKSUM("the checksum does not match the bytes"),
    /** The frame is of another cluster. */
    FOREIGN_CLUSTER("the cluster id is not ours"),
    /** A length or count contradicts another, or is out of its range. */
    BAD_LENGTH("a length or count is out of range or contradicts another"),
    /** There is no such block format. */
    UNKNOWN_FORMAT("the block format is not known"),
    /** There is no such encoding of values. */
    UNKNOWN_VALUE_TYPE("the type of the values is not known"),
    /** There is no such compressor. */
    UNKNOWN_COMPRESSOR("the compressor is not known"),
    /** The block's columns contradict the counts of its frame. */
    BAD_BLOCK("the block does not match its element and value counts"),
    /** The payload does not decompress to its stated length. */
    BAD_COMPRESSION("the payload does not decompress to its stated length"),
    /** The frame is from before the current membership. */
    STALE_EPOCH("the epoch is not the current one"),
    /** The sender is not a member, or not the node to which this link belongs. */
    UNKNOWN_ORIGIN("the origin is not a member, or not the one of this link"),
    /** There is a gap: frames before this one are missing. */
    OUT_OF_ORDER("the frame is ahead of its turn"),
    /** The frame is a replay: the receiver has already opened it. */
    DUPLICATE("the frame was received before"),
    /** The frame is valid, but the receiver does not expect it in its present state. */
    UNEXPECTED("the receiver does not expect such a frame now"),
    /** The cluster seals its frames, and this frame has no seal. */
    NOT_SEALED("the frame is not sealed, but this cluster seals its frames"),
    /** The frame was deliberately changed in transit, or sealed with a key other than the sender's. */
    BAD_SEAL("the seal does not match the sender and the bytes"),
    /** The frame is genuine, but was recorded and sent again, or sent to another node. */
    REPLAYED("the frame was opened before, or is for another node"),
    /** The join was proved with another secret, or with none. */
    BAD_PROOF("the proof of a join was not made with the secret of this cluster");

    private static final Rejection[] ALL = values();

    private final String explanation;

    Rejection(String explanation) {
        this.explanation = explanation;
    }

    /** One line for logs and counters: what was wrong, in lower case, without a full stop. */
    public String explanation() {
        return explanation;
    }

    /**
     * Whether the frame was forged or replayed deliberately, or sent by a node that is no longer a member: the operator
     * should get a message; other reasons are only counted.
     */
    public boolean isIntrusion() {
        return switch (this) {
            case STALE_EPOCH, NOT_SEALED, BAD_SEAL, REPLAYED -> true;
            default -> false;
        };
    }

    /** Number of reasons. */
    public static int size() {
        return ALL.length;
    }

    /** The reason with an ordinal, without the copy that {@code values()} makes. */
    public static Rejection at(int ordinal) {
        return ALL[ordinal];
    }
}
