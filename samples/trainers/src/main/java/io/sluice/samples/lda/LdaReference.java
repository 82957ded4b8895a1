package io.sluice.samples.lda;

import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Corpus;

/**
 * The same training in one process and one thread, without Sluice: the documents of all workers in turn, each drawn
 * with the counts as they were when the clock began, plus the moves of the same worker. BSP without a filter must give
 * these bits. With one worker this is plain collapsed Gibbs sampling.
 */
public final class LdaReference implements TopicMoves {
    private final TopicSampler sampler;
    private final TopicCounts next;

    private LdaReference(Corpus corpus, LdaSettings settings) {
        this.sampler = new TopicSampler(corpus.words(), settings);
        this.next = TopicCounts.first(corpus, settings);
    }

    /**
     * Trains to the end.
     *
     * @param corpus training data
     * @param settings settings of the training
     * @param workers number of workers
     * @param progress called after each iteration, with the loss of worker 0, and after each pass
     * @param updates receives the updates of worker 0
     * @return the counts of all tables, one table after the other
     */
    public static float[] train(
            Corpus corpus, LdaSettings settings, int workers, LdaTrainer.Progress progress, UpdateListener updates) {
        WorkerDocuments[] documents = new WorkerDocuments[workers];
        for (int worker = 0; worker < workers; worker++) {
            documents[worker] = new WorkerDocuments(corpus, worker, workers, settings);
        }
        LdaReference reference = new LdaReference(corpus, settings);
        LdaMeasure measure = new LdaMeasure(corpus, settings);
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            progress.onClock(clock, reference.take(documents, clock, updates));
            if (clock % settings.clocksPerPass() == 0) {
                progress.onPass(
                        clock / settings.clocksPerPass(),
                        () -> measure.logLikelihood(reference.next),
                        () -> measure.perplexity(reference.next));
            }
        }
        return reference.next.all();
    }

    private double take(WorkerDocuments[] documents, int clock, UpdateListener updates) {
        float[] words = next.words().clone();
        float[] totals = next.totals().clone();
        float[] before = updates == UpdateListener.NONE ? null : next.all();
        double loss = 0;
        for (int worker = 0; worker < documents.length; worker++) {
            System.arraycopy(words, 0, sampler.words(), 0, words.length);
            System.arraycopy(totals, 0, sampler.totals(), 0, totals.length);
            sampler.loaded();
            double own = documents[worker].take(clock, sampler, this);
            if (worker == 0) {
                loss = own;
                report(clock, before, updates);
            }
        }
        return loss;
    }

    private void report(int clock, float[] before, UpdateListener updates) {
        if (before != null) {
            float[] update = next.all();
            for (int i = 0; i < update.length; i++) {
                update[i] -= before[i];
            }
            updates.onUpdate(clock, update);
        }
    }

    @Override
    public void moved(int word, int from, int to, int fromWords, int toWords) {
        next.move(word, from, to, fromWords, toWords);
    }

    @Override
    public void endOfDocument() {}
}
