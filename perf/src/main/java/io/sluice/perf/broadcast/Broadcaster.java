package io.sluice.perf.broadcast;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.util.List;

/** A way to broadcast. */
public interface Broadcaster {
    /** Name of the system in reports. */
    String shape();

    /** Share of the elements that are sent. */
    default double kept() {
        return 1;
    }

    /**
     * Runs all broadcasts of a turn.
     *
     * @return all broadcasts in order, warm-up included
     * @throws IOException if a lab or a file fails
     * @throws InterruptedException if interrupted
     * @throws UnavailableException if a node fails
     */
    List<Broadcast> turn() throws IOException, InterruptedException;
}
