package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.spark.SluiceSpark;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs of an application whose driver is its only executor. */
@Tag("slow")
@Timeout(200)
class OneProcessJobTest {
    private static JavaSparkContext spark;

    @BeforeAll
    static void start() throws IOException {
        spark = Applications.start("local[2]", "");
    }

    @AfterAll
    static void stop() {
        spark.close();
    }

    private static SluiceSpark<Integer> job() {
        return SluiceSpark.on(spark.parallelize(List.of(1, 2, 3, 4), 2).rdd());
    }

    @Test
    void eachWorkerHasItsPartition() {
        float sum = job().secret(new byte[16]).train((worker, partition) -> {
            Table table = worker.table("sum", 1, 1);
            worker.start(Initialiser.ZEROS);
            float[] update = new float[1];
            for (Iterator<Integer> rest = partition; rest.hasNext(); ) {
                update[0] += (1 + worker.index()) * rest.next();
            }
            table.sync();
            table.update(update);
            worker.clock();
            worker.drain();
            return table.view().get(0);
        });
        assertEquals(1 + 2 + 2 * (3 + 4), sum);
    }

    private static String refusal(SluiceSpark<Integer> job, Class<? extends Exception> kind) {
        return assertThrows(kind, () -> job.train((worker, partition) -> "")).getMessage();
    }

    @Test
    void termsThatNeedOtherTasksAreRefused() {
        assertEquals(
                "the job has no secret, expected a call of secret() before train()",
                refusal(job(), IllegalStateException.class));
        assertEquals(
                "places is 4, expected 0: a barrier stage has the same tasks from its start to its end",
                refusal(job().settings(ClusterSettings.builder().places(4)), IllegalArgumentException.class));
        assertEquals(
                "on death is shrink, expected fail: Spark ends all tasks of a barrier stage when one has failed",
                refusal(
                        job().settings(ClusterSettings.builder().onDeath(DeathPolicy.SHRINK)),
                        IllegalArgumentException.class));
    }
}
