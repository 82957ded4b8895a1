package io.sluice.perf.link;

import java.util.Locale;

/** The stacks: Aeron alone or Sluice's messaging over it, with different shares of the checksum work. */
enum LinkStack {
    /** Raw Aeron. It checks no bytes; its receiver reads one field of each frame. */
    RAW("raw"),
    /** Raw Aeron, and a receiver that verifies the CRC-32C of each frame: the least cost of error detection. */
    RAW_CHECKED("raw+crc"),
    /**
     * {@code Link} and {@code Inbox}. The checksums of its frames are computed before the turn. The receiver validates
     * each frame, and verifies its checksum over UDP and, if {@code sluice.ipc.verify} is set, over shared memory.
     */
    OURS("ours"),
    /** The same stack, whose sender computes the checksum of each frame before it offers the frame. */
    OURS_CHECKED("ours+crc");

    private final String word;

    LinkStack(String word) {
        this.word = word;
    }

    /** The name in tables. */
    String configName() {
        return word;
    }

    /** The key of its figures in the JSON, which scripts read: that of {@link #OURS_CHECKED} is an older name. */
    String key() {
        return this == OURS_CHECKED ? "ours_sealing" : name().toLowerCase(Locale.ROOT);
    }

    /** The prefix of further keys; none for {@link #OURS}. */
    String prefix() {
        return this == OURS ? "" : key() + "_";
    }

    /** Whether the stack is Sluice's. */
    boolean isOurs() {
        return this == OURS || this == OURS_CHECKED;
    }

    /** Whether the receiver of a raw stack computes a checksum. */
    boolean isVerifying() {
        return this == RAW_CHECKED;
    }

    /** Whether the sender computes a checksum. */
    boolean addsChecksum() {
        return this == OURS_CHECKED;
    }
}
