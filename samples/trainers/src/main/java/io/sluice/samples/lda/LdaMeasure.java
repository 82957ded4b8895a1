package io.sluice.samples.lda;

import io.sluice.samples.data.Corpus;
import java.util.SplittableRandom;

/** Measures the quality of a model. Sums are f64 in a fixed order, so equal counts give equal bits. */
final class LdaMeasure {
    /** How often the topics of a held-out document are drawn. */
    private static final int SWEEPS = 60;

    private final Corpus corpus;
    private final LdaSettings settings;
    private final double betaOfAll;
    private final double[] ofWord;
    private final double[] ofTopic;
    private final double[] ofPair;

    /** The part of the likelihood that depends only on the lengths of the documents, so no count changes it. */
    private final double lengths;

    LdaMeasure(Corpus corpus, LdaSettings settings) {
        this.corpus = corpus;
        this.settings = settings;
        this.betaOfAll = corpus.words() * settings.beta();
        this.ofWord = rising(settings.beta(), corpus.size());
        this.ofTopic = rising(betaOfAll, corpus.size());
        this.ofPair = rising(settings.alpha(), corpus.longest());
        double[] ofDocument = rising(settings.topics() * settings.alpha(), corpus.longest());
        this.lengths = corpus.train().stream()
                .mapToDouble(document -> ofDocument[document.length])
                .sum();
    }

    /** For each n, the logarithm of {@code gamma(base + n) / gamma(base)}. */
    private static double[] rising(double base, int most) {
        double[] values = new double[most + 1];
        for (int n = 0; n < most; n++) {
            values[n + 1] = values[n] + StrictMath.log(base + n);
        }
        return values;
    }

    private static double at(double[] values, float count) {
        return values[Math.clamp(Math.round(count), 0, values.length - 1)];
    }

    /** The logarithm of the probability of all training words and their topics. */
    double logLikelihood(TopicCounts counts) {
        double sum = -lengths;
        for (int words = 1; words < counts.pairs().length; words++) {
            sum += counts.pairs()[words] * ofPair[words];
        }
        for (float count : counts.words()) {
            sum += at(ofWord, count);
        }
        for (float total : counts.totals()) {
            sum -= at(ofTopic, total);
        }
        return sum;
    }

    /**
     * The perplexity of every second word of the held-out documents, whose other words give their topics.
     *
     * @return NaN if there are none
     */
    double perplexity(TopicCounts counts) {
        double[] words = new double[counts.words().length];
        for (int i = 0; i < words.length; i++) {
            double total = Math.max(0, counts.totals()[i % settings.topics()]);
            words[i] = (Math.max(0, counts.words()[i]) + settings.beta()) / (total + betaOfAll);
        }
        SplittableRandom random = new SplittableRandom(settings.seed());
        double sum = 0;
        int scored = 0;
        for (int[] document : corpus.heldOut()) {
            double[] shares = topics(document, words, random);
            for (int at = 1; at < document.length; at += 2) {
                double probability = 0;
                for (int topic = 0; topic < shares.length; topic++) {
                    probability += shares[topic] * words[document[at] * shares.length + topic];
                }
                sum -= StrictMath.log(probability);
                scored++;
            }
        }
        return scored == 0 ? Double.NaN : StrictMath.exp(sum / scored);
    }

    /** The shares of the topics of a document, by Gibbs sampling of its first, third, fifth word and so on. */
    private double[] topics(int[] document, double[] words, SplittableRandom random) {
        int topics = settings.topics();
        int[] assigned = random.ints((document.length + 1) / 2, 0, topics).toArray();
        double[] shares = new double[topics];
        for (int topic = 0; topic < topics; topic++) {
            shares[topic] = settings.alpha();
        }
        for (int topic : assigned) {
            shares[topic]++;
        }
        double[] sums = new double[topics];
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int i = 0; i < assigned.length; i++) {
                int start = document[2 * i] * topics;
                shares[assigned[i]]--;
                double sum = 0;
                for (int topic = 0; topic < topics; topic++) {
                    sum += shares[topic] * words[start + topic];
                    sums[topic] = sum;
                }
                double drawn = random.nextDouble() * sum;
                int topic = 0;
                while (topic < topics - 1 && sums[topic] <= drawn) {
                    topic++;
                }
                assigned[i] = topic;
                shares[topic]++;
            }
        }
        double all = assigned.length + topics * settings.alpha();
        for (int topic = 0; topic < topics; topic++) {
            shares[topic] /= all;
        }
        return shares;
    }
}
