package io.sluice.samples.lda;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.data.Corpus;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Draws the topics of a corpus as one worker of a cluster. The counts of topics are in tables; the topics of the words
 * of a document stay with its worker. Within an iteration the worker reads the counts as they were when it began, plus
 * its own moves; under managed communication also the moves of others that have arrived.
 */
public final class LdaTrainer implements TopicMoves {
    /** Number of moves between two polls of the links. */
    private static final int TOGETHER = 64;

    /** Number of documents between two polls for the moves that others have sent early. */
    private static final int DOCUMENTS = 4;

    /** Receives the progress of the training. */
    public interface Progress {
        /**
         * Handles the end of an iteration.
         *
         * @param clock its number, from 1
         * @param loss mean of minus the logarithm of the probability of each of the worker's words, given the others
         */
        void onClock(int clock, double loss);

        /**
         * Handles the end of a pass, whose moves are in the counts as far as the consistency rule demands.
         *
         * @param pass its number, from 1
         * @param logLikelihood logarithm of the probability of the training words and their topics
         * @param perplexity perplexity of held-out words; takes about as long as a pass
         */
        void onPass(int pass, DoubleSupplier logLikelihood, DoubleSupplier perplexity);
    }

    private final Worker worker;
    private final Corpus corpus;
    private final LdaSettings settings;
    private final Table words;
    private final Table topics;
    private final Table pairs;
    private final WorkerDocuments documents;
    private final TopicSampler sampler;
    private final LdaMeasure measure;
    private final float[] pending;
    private int moves;
    private int taken;

    /**
     * Declares the model.
     *
     * @param worker connected, not started
     * @param corpus the same on all workers
     * @param settings the same on all workers
     */
    public LdaTrainer(Worker worker, Corpus corpus, LdaSettings settings) {
        requireFit(worker.settings());
        this.worker = worker;
        this.corpus = corpus;
        this.settings = settings;
        this.words = worker.table("word-topic", corpus.words(), settings.topics());
        this.topics = worker.table("topics", 1, settings.topics());
        this.pairs = worker.table("pairs", 1, TopicCounts.pairs(corpus));
        this.documents = new WorkerDocuments(corpus, worker.index(), worker.workers(), settings);
        this.sampler = new TopicSampler(corpus.words(), settings);
        this.measure = new LdaMeasure(corpus, settings);
        this.pending = new float[sampler.words().length];
        worker.trainerState(documents::save, documents::restore);
    }

    /**
     * Trains to the end.
     *
     * @param progress called after each iteration and each pass
     */
    public void train(Progress progress) {
        worker.start(worker.index() == 0 ? firstCounts() : Initialiser.ZEROS);
        for (int clock = (int) worker.completed(); clock < settings.clocks(); ) {
            refresh();
            if (clock > 0 && clock % settings.clocksPerPass() == 0) {
                progress.onPass(clock / settings.clocksPerPass(), this::logLikelihood, this::perplexity);
            }
            double loss = documents.take(++clock, sampler, this);
            worker.clock(); // pushes all moves
            progress.onClock(clock, loss);
        }
        worker.drain();
        progress.onPass(settings.passes(), this::logLikelihood, this::perplexity);
    }

    private Initialiser firstCounts() {
        TopicCounts first = TopicCounts.first(corpus, settings);
        Map<String, float[]> all = Map.of(
                words.spec().name(), first.words(),
                topics.spec().name(), first.totals(),
                pairs.spec().name(), first.pairs());
        return (table, start, values) -> System.arraycopy(all.get(table), (int) start, values, 0, values.length);
    }

    /**
     * Reads the counts, plus own moves that have not been sent. Moves that have been sent and have not returned are in
     * neither.
     */
    private void refresh() {
        read(words, sampler.words());
        read(topics, sampler.totals());
        pairs.sync();
        sampler.loaded();
    }

    private void read(Table table, float[] counts) {
        table.sync().copyTo(0, counts);
        table.pending().copyTo(0, pending, 0, counts.length);
        for (int i = 0; i < counts.length; i++) {
            counts[i] += pending[i];
        }
    }

    @Override
    public void moved(int word, int from, int to, int fromWords, int toWords) {
        words.inc(word, from, -1);
        words.inc(word, to, 1);
        topics.inc(0, from, -1);
        topics.inc(0, to, 1);
        pairs.inc(0, fromWords, -1);
        pairs.inc(0, fromWords - 1, 1);
        pairs.inc(0, toWords - 1, -1);
        pairs.inc(0, toWords, 1);
        if (++moves % TOGETHER == 0) {
            worker.work();
        }
    }

    @Override
    public void endOfDocument() {
        if (worker.settings().protocol() == Protocol.MANAGED && ++taken % DOCUMENTS == 0) {
            refresh();
        }
    }

    private double logLikelihood() {
        return measure.logLikelihood(counts());
    }

    private double perplexity() {
        return measure.perplexity(counts());
    }

    private TopicCounts counts() {
        TopicCounts counts = TopicCounts.zero(corpus, settings.topics());
        words.view().copyTo(0, counts.words());
        topics.view().copyTo(0, counts.totals());
        pairs.view().copyTo(0, counts.pairs());
        return counts;
    }

    /** The tables that are trained. */
    public List<Table> tables() {
        return List.of(words, topics, pairs);
    }

    /**
     * Requires terms under which counts stay counts, and documents stay with their workers.
     *
     * @param terms terms of the cluster
     * @throws IllegalArgumentException naming the term at fault
     */
    public static void requireFit(ClusterSettings terms) {
        if (!terms.summary(TableTerms::rule).equals(ClusterSettingsBuilder.DEFAULT_RULE)) {
            throw new IllegalArgumentException("the rule is " + terms.summary(TableTerms::rule) + ", expected "
                    + ClusterSettingsBuilder.DEFAULT_RULE + ", because the parameters of topics are counts");
        }
        if (terms.isElastic()) {
            throw new IllegalArgumentException(
                    "the terms let workers join and leave, expected a fixed number of workers,"
                            + " because the topics of a document stay with its worker");
        }
        if (terms.onDeath() == DeathPolicy.SHRINK) {
            throw new IllegalArgumentException("the terms continue without a worker that dies ("
                    + DeathPolicy.SHRINK.configName() + "), expected " + DeathPolicy.FAIL.configName() + " or "
                    + DeathPolicy.WAIT.configName()
                    + ", because no other worker would draw the topics of its documents");
        }
    }

    /**
     * Declares the terms that must be equal at all workers. A worker that differs is refused when it joins.
     *
     * @param context context of the worker, before it connects
     * @param corpus documents
     * @param settings settings of the training
     */
    public static void declare(WorkerContext context, Corpus corpus, LdaSettings settings) {
        context.declare("topics", settings.topics())
                .declare("alpha", settings.alpha())
                .declare("beta", settings.beta())
                .declare("passes", settings.passes())
                .declare("clocks per pass", settings.clocksPerPass())
                .declare("seed", settings.seed())
                .declare("training documents", corpus.fingerprint());
    }
}
