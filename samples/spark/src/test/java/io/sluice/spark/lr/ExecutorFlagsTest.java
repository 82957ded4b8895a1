package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.MessagingException;
import io.sluice.spark.SluiceSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The JVM flags of executors. */
@Timeout(200)
class ExecutorFlagsTest {
    @Test
    void theFlagsAreThoseOfOtherNodes() throws IOException {
        assertEquals(Files.readAllLines(Path.of("../../jvm.args")), List.of(SluiceSpark.JVM_FLAGS.split(" ")));
    }

    @Test
    @Tag("slow")
    void aMissingFlagIsNamed() throws IOException {
        try (JavaSparkContext spark =
                Applications.start("local-cluster[1,1,1024]", "--enable-native-access=ALL-UNNAMED")) {
            SluiceSpark<Integer> job =
                    SluiceSpark.on(spark.parallelize(List.of(1), 1).rdd()).secret(new byte[16]);
            MessagingException refusal =
                    assertThrows(MessagingException.class, () -> job.train((worker, partition) -> ""));
            assertTrue(
                    refusal.getMessage()
                            .contains("was started without --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"),
                    refusal::getMessage);
            assertTrue(refusal.getMessage().contains("spark.executor.extraJavaOptions"), refusal::getMessage);
        }
    }
}
