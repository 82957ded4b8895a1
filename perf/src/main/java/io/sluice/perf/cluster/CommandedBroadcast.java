package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Broadcasts whose start is known. Worker 0 pushes an update, the other workers commit a clock without a push, and the
 * last worker waits. Under BSP the servers then wait only for the last worker. When all pushes have arrived, the last
 * worker pushes one element of each slice: the broadcast begins with this push, and servers can send slice by slice, as
 * in training.
 */
public final class CommandedBroadcast {
    private static final long LOOKS = 40;

    private final int[] indices;
    private final float[] values;

    /** Creates a command: an update with a value in the first element of each slice. */
    public CommandedBroadcast(int elements, int sliceElements, float value) {
        indices = new int[Math.ceilDiv(elements, sliceElements)];
        Arrays.setAll(indices, slice -> slice * sliceElements);
        values = new float[indices.length];
        Arrays.fill(values, value);
    }

    /**
     * Pushes, and waits until all pushes have arrived: pushes in flight would delay the broadcast.
     *
     * @param quietNs nanoseconds for which a worker's links accept no frame, at least as long as frames may be in
     *     flight
     */
    public static void prepare(Worker worker, Table table, float[] update, long quietNs) throws InterruptedException {
        if (worker.index() == 0) {
            table.update(update);
        }
        if (!isLast(worker)) {
            worker.clock();
        }
        long bytes = worker.bytesPushed();
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < quietNs) {
            TimeUnit.NANOSECONDS.sleep(quietNs / LOOKS);
            if (worker.bytesPushed() != bytes) {
                bytes = worker.bytesPushed();
                sinceNs = System.nanoTime();
            }
        }
    }

    /** Starts the broadcast, in the last worker. */
    public void start(Worker worker, Table table) {
        if (isLast(worker)) {
            table.update(indices, values);
            worker.clock();
        }
    }

    private static boolean isLast(Worker worker) {
        return worker.index() == worker.workers() - 1;
    }
}
