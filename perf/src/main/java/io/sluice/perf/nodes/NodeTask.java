package io.sluice.perf.nodes;

import java.io.Serializable;

/** A task of a node's JVM. */
public interface NodeTask<T extends Serializable> extends Serializable {
    /**
     * Runs the task in that JVM.
     *
     * @return the result; {@code null} for none
     * @throws Exception whose message is sent as the error
     */
    T run() throws Exception;
}
