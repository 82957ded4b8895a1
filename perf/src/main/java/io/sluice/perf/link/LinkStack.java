package io.sluice.perf.link;

import java.util.Locale;

/** What sends and receives: Aeron alone, or Sluice's messaging over it, and how much of the checksum it computes. */
enum LinkStack {
    /** Aeron as it is. It checks no bytes; its receiver looks at one field of each frame. */
    RAW("raw", false, false, false),
    /** Aeron, and a receiver that verifies the CRC-32C of each frame: the least that finding faults can cost. */
    RAW_CHECKED("raw+crc", false, true, false),
    /**
     * {@code Link} and {@code Inbox}. Frames were sealed before; each is validated, over UDP its checksum too, and over
     * shared memory if {@code sluice.ipc.verify} says so.
     */
    OURS("ours", true, false, false),
    /** The same, and the sender seals each frame before it offers it. */
    OURS_SEALING("ours+seal", true, false, true);

    private final String word;
    private final boolean ours;
    private final boolean verifying;
    private final boolean sealing;

    LinkStack(String word, boolean ours, boolean verifying, boolean sealing) {
        this.word = word;
        this.ours = ours;
        this.verifying = verifying;
        this.sealing = sealing;
    }

    /** What people call it. */
    String configName() {
        return word;
    }

    /** What its figures are called. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Of names beside; those of ours have none. */
    String prefix() {
        return this == OURS ? "" : key() + "_";
    }

    /** Whether it is Sluice's. */
    boolean isOurs() {
        return ours;
    }

    /** Whether the receiver of a stack that is not ours computes a checksum. */
    boolean isVerifying() {
        return verifying;
    }

    /** Whether the sender computes a checksum. */
    boolean isSealing() {
        return sealing;
    }
}
