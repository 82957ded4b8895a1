package io.sluice.samples.data;

/**
 * One e-mail as numbers. The arrays belong to the record; do not change them.
 *
 * @param spam   whether it is spam; otherwise it is wanted mail, "ham"
 * @param test   whether it is held out for testing
 * @param hashes the 32-bit hashes of its words, each once
 * @param counts how often each of those words occurs, at least 1, in the order of {@code hashes}
 */
record HashedMail(boolean spam, boolean test, int[] hashes, int[] counts) {}
