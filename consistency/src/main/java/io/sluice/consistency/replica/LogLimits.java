package io.sluice.consistency.replica;

/**
 * Limits of the log of decisions that each of several coordinators keeps.
 *
 * @param decisions number of decisions between two snapshots of the record, which is about the maximum that a restarted
 *                       coordinator replays
 * @param segmentLength length of a file of the log in bytes; a power of two, at least 65,536
 * @param segments number of files that are kept from before the last but one snapshot of the record, for coordinators
 *                       that were down and have no newer snapshot
 */
record LogLimits(int decisions, int segmentLength, int segments) {
    /** The default limits. A decision takes a few hundred bytes, so they hold tens of thousands. */
    static final LogLimits DEFAULT = new LogLimits(500, 1 << 20, 8);

    /** Length of the log's buffers. No file may be shorter, and no message may be longer than an eighth of it. */
    int termLength() {
        return Math.min(segmentLength, 256 << 10);
    }
}
