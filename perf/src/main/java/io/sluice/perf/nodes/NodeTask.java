package io.sluice.perf.nodes;

import java.io.Serializable;

/**
 * What a node's JVM is ordered to do.
 *
 * @param <T> what it answers
 */
public interface NodeTask<T extends Serializable> extends Serializable {
    /**
     * Does it, in that JVM.
     *
     * @return the answer; {@code null} if there is nothing to say
     * @throws Exception whose message is the answer then
     */
    T run() throws Exception;
}
