package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Crew;
import java.util.List;

/**
 * Is told who takes part, so that a trainer can take its part of the data: by a rule that depends on nothing but what
 * it is told here, which is the same at all workers, parts neither overlap nor lack.
 */
@FunctionalInterface
public interface CrewListener {
    /**
     * Called on the trainer's thread, from {@link Worker#start} and {@link Worker#clock}, before the first clock of
     * which another crew is to compute updates; the first time with that of the clock with which this worker begins.
     *
     * @param crews all that there were, the one in question last: a worker that has come while the job runs finds here
     *              what was before it
     */
    void onCrew(List<Crew> crews);
}
