package io.sluice.samples.lda;

/** Receives what changes as a worker draws topics. */
interface TopicMoves {
    /**
     * A word of a document moves from one topic to another.
     *
     * @param word number of the word
     * @param from topic before
     * @param to another topic
     * @param fromWords words of the document in the topic {@code from} before the move, at least 1
     * @param toWords words of the document in the topic {@code to} after the move, at least 1
     */
    void moved(int word, int from, int to, int fromWords, int toWords);

    /** All words of a document are drawn; the sampler has no open document. */
    void endOfDocument();
}
