package io.sluice.consistency.replica;

/**
 * How much one of several coordinators keeps of what was decided.
 *
 * @param decisions      after which the record is written down anew, so that a coordinator that is started again need
 *                       not take in more than about these
 * @param segmentLength  of the files that the log consists of, in bytes; a power of two, at least 65,536
 * @param segments       of these to keep before the record that was written down last but one, for coordinators that
 *                       were away meanwhile and have no newer record
 */
record LogLimits(int decisions, int segmentLength, int segments) {
    /** A decision takes some hundred bytes, so this is enough for tens of thousands. */
    static final LogLimits DEFAULT = new LogLimits(500, 1 << 20, 8);

    /** Length of the log's buffers. No file may be shorter, and no message may be longer than an eighth of it. */
    int termLength() {
        return Math.min(segmentLength, 256 << 10);
    }
}
