package io.sluice.samples.lda;

import io.sluice.samples.data.Corpus;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The documents of one worker, and the topics of their words: of n workers the k-th has every n-th document. A snapshot
 * keeps the topics, because the tables have only their sums.
 */
final class WorkerDocuments {
    private final List<int[]> documents = new ArrayList<>();
    private final List<char[]> topics = new ArrayList<>();
    private final LdaSettings settings;
    private final int worker;

    /**
     * Takes a worker's documents, with random topics that do not depend on the number of workers.
     *
     * @throws IllegalArgumentException if a clock would have no document for some worker
     */
    WorkerDocuments(Corpus corpus, int worker, int workers, LdaSettings settings) {
        int all = corpus.train().size();
        if (all / workers < settings.clocksPerPass()) {
            throw new IllegalArgumentException("there are " + all + " training documents for " + workers
                    + " workers and " + settings.clocksPerPass() + " clocks per pass, expected at least one each");
        }
        this.settings = settings;
        this.worker = worker;
        SplittableRandom random = new SplittableRandom(settings.seed());
        for (int document = 0; document < all; document++) {
            char[] first = new char[corpus.train().get(document).length];
            for (int at = 0; at < first.length; at++) {
                first[at] = (char) random.nextInt(settings.topics());
            }
            if (document % workers == worker) {
                documents.add(corpus.train().get(document));
                topics.add(first);
            }
        }
    }

    int size() {
        return documents.size();
    }

    int[] words(int document) {
        return documents.get(document);
    }

    char[] topics(int document) {
        return topics.get(document);
    }

    /**
     * Draws the topics of all words of a clock.
     *
     * @return the mean of minus the logarithm of the probability of each word, given the other words
     */
    double take(int clock, TopicSampler sampler, TopicMoves moves) {
        SplittableRandom random = stream(settings.seed(), clock, worker);
        int part = (clock - 1) % settings.clocksPerPass();
        double loss = 0;
        long taken = 0;
        for (int document = start(part); document < start(part + 1); document++) {
            loss += take(document, random, sampler, moves);
            taken += words(document).length;
            moves.endOfDocument();
        }
        return loss / taken;
    }

    /** The random numbers of a worker in a clock. Each number of the three is mixed in, so no two streams are equal. */
    static SplittableRandom stream(long seed, int clock, int worker) {
        long mixed = new SplittableRandom(seed).nextLong() + clock;
        return new SplittableRandom(new SplittableRandom(mixed).nextLong() + worker);
    }

    private int start(int part) {
        return (int) ((long) part * size() / settings.clocksPerPass());
    }

    private double take(int document, SplittableRandom random, TopicSampler sampler, TopicMoves moves) {
        int[] words = words(document);
        char[] assigned = topics(document);
        double others = words.length - 1 + settings.topics() * settings.alpha();
        double loss = 0;
        sampler.open(assigned);
        for (int at = 0; at < words.length; at++) {
            int word = words[at];
            int from = assigned[at];
            int fromWords = sampler.documentCount(from);
            sampler.count(word, from, -1);
            int to = sampler.draw(word, random.nextDouble());
            loss -= Math.log(sampler.mass() / others);
            sampler.count(word, to, 1);
            if (to != from) {
                assigned[at] = (char) to;
                moves.moved(word, from, to, fromWords, sampler.documentCount(to));
            }
        }
        return loss;
    }

    /** The topics of all words, for a snapshot. */
    byte[] save() {
        ByteBuffer bytes = ByteBuffer.allocate(Character.BYTES * words());
        for (char[] of : topics) {
            bytes.asCharBuffer().put(of);
            bytes.position(bytes.position() + Character.BYTES * of.length);
        }
        return bytes.array();
    }

    /** Continues with the topics of a snapshot; refuses those of other documents. */
    void restore(byte[] state) {
        int expected = Character.BYTES * words();
        if (state.length != expected) {
            throw new IllegalArgumentException("the topics of the snapshot have " + state.length + " bytes, expected "
                    + expected + " for the words of worker " + worker);
        }
        CharBuffer given = ByteBuffer.wrap(state).asCharBuffer();
        for (int at = 0; at < given.length(); at++) {
            if (given.charAt(at) >= settings.topics()) {
                throw new IllegalArgumentException("topic " + at + " of the snapshot is " + (int) given.charAt(at)
                        + ", expected below " + settings.topics());
            }
        }
        topics.forEach(given::get);
    }

    private int words() {
        return topics.stream().mapToInt(of -> of.length).sum();
    }
}
