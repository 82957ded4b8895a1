package io.sluice.perf.link;

import java.util.Locale;

/** The stacks: Aeron alone or Sluice's messaging over it, with different shares of the checksum work. */
enum LinkStack {
    /** Raw Aeron. It checks no bytes; its receiver reads one field of each frame. */
    RAW("raw", false, false, false),
    /** Raw Aeron, and a receiver that verifies the CRC-32C of each frame: the least cost of error detection. */
    RAW_CHECKED("raw+crc", false, true, false),
    /**
     * {@code Link} and {@code Inbox}. The checksums of its frames are computed before the turn. The receiver validates
     * each frame, and verifies its checksum over UDP and, if {@code sluice.ipc.verify} is set, over shared memory.
     */
    OURS("ours", true, false, false),
    /** The same stack, whose sender computes the checksum of each frame before it offers the frame. */
    OURS_CHECKED("ours+crc", true, false, true);

    private final String word;
    private final boolean ours;
    private final boolean verifying;
    private final boolean checksum;

    LinkStack(String word, boolean ours, boolean verifying, boolean checksum) {
        this.word = word;
        this.ours = ours;
        this.verifying = verifying;
        this.checksum = checksum;
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
        return ours;
    }

    /** Whether the receiver of a raw stack computes a checksum. */
    boolean isVerifying() {
        return verifying;
    }

    /** Whether the sender computes a checksum. */
    boolean addsChecksum() {
        return checksum;
    }
}
