package io.sluice.samples.lda;

/** Receives the changes that a worker makes when it draws topics. */
interface TopicMoves {
    /**
     * Is called when a word of a document moves from one topic to another.
     *
     * @param word number of the word
     * @param from previous topic
     * @param to new topic
     * @param fromWords words of the document in the topic {@code from} before the move, at least 1
     * @param toWords words of the document in the topic {@code to} after the move, at least 1
     */
    void moved(int word, int from, int to, int fromWords, int toWords);

    /** Called when the topics of all words of a document are drawn; the sampler then has no open document. */
    void endOfDocument();
}
