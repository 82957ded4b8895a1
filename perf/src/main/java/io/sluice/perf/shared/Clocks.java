package io.sluice.perf.shared;

import io.sluice.perf.nodes.NodeLoop;

/**
 * What one worker saw, for each clock of a turn.
 *
 * @param seconds  from the end of the clock before
 * @param kept     share of elements that it pushed
 * @param checksum of its replica at the end
 */
record Clocks(double[] seconds, double[] kept, int checksum) {
    String words() {
        return NodeLoop.word(seconds) + " " + NodeLoop.word(kept) + " " + checksum;
    }

    /** From the words of {@link #words}, behind the first. */
    static Clocks parse(String[] words) {
        return new Clocks(NodeLoop.numbers(words[1]), NodeLoop.numbers(words[2]), Integer.parseInt(words[3]));
    }
}
