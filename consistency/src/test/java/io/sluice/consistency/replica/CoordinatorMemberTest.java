package io.sluice.consistency.replica;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.CommonContext;
import io.aeron.cluster.client.AeronCluster;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.LocalMembers;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three coordinators as in processes of their own, without nodes. */
@Timeout(240)
class CoordinatorMemberTest {
    private static final int MEMBERS = 3;
    private static final String LEADS = "leads the coordinators from now on";

    @TempDir
    private Path folder;

    private final TestDriver driver = TestDriver.launch();
    private final String addresses =
            LocalMembers.free(MEMBERS).stream().map(Endpoint::toString).collect(Collectors.joining(","));
    private final List<CoordinatorMember> members = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<Integer, Throwable> endings = new ConcurrentHashMap<>();
    private volatile int leader = -1;

    private void start(int member) {
        CoordinatorMember coordinator = CoordinatorMember.launch(new CoordinatorContext()
                .members(addresses)
                .member(member)
                .folder(path(member))
                .terms(TestCluster.terms().build())
                .aeronDirectory(driver.directory())
                .errorHandler(error -> hear(member, String.valueOf(error.getMessage()))));
        members.add(coordinator);
        threads.add(Thread.ofPlatform().daemon().start(() -> {
            try {
                coordinator.await();
            } catch (InterruptedException | RuntimeException e) {
                endings.put(member, e);
            }
        }));
    }

    private Path path(int member) {
        return folder.resolve("member-" + member);
    }

    private void hear(int member, String sentence) {
        if (sentence.startsWith(LEADS)) {
            leader = member;
        }
    }

    @AfterEach
    void close() {
        threads.forEach(Thread::interrupt);
        Deadline.await("no coordinator runs", () -> threads.stream().noneMatch(Thread::isAlive));
        CloseHelper.closeAll(members);
        driver.close();
    }

    @Tag("slow")
    @Test
    void bytesThatAreNoDecisionEndAllCoordinators() {
        for (int member = 0; member < MEMBERS; member++) {
            start(member);
        }
        Deadline.await("a coordinator leads", () -> leader >= 0);
        AeronCluster.Context connection = new AeronCluster.Context()
                .aeronDirectoryName(MemberFolder.driver(path(leader)).toString())
                .ingressChannel(CommonContext.IPC_CHANNEL)
                .egressChannel(CommonContext.IPC_CHANNEL);
        UnsafeBuffer noise = new UnsafeBuffer(new byte[DecisionOffers.HEADER + 2]);
        noise.setMemory(0, noise.capacity(), (byte) 0x63);
        try (AeronCluster session = AeronCluster.connect(connection)) {
            Deadline.await("the bytes are in the log", () -> session.offer(noise, 0, noise.capacity()) > 0);
        }
        Deadline.await("all coordinators end", () -> endings.size() == MEMBERS);
        for (Throwable ending : endings.values()) {
            String sentence = assertInstanceOf(MessagingException.class, ending).getMessage();
            String bytes = "14 bytes (63" + " 63".repeat(13) + ") that are not a readable decision";
            assertTrue(sentence.contains(bytes), sentence);
            assertTrue(sentence.matches("the coordinators' log has at position \\d+ .*"), sentence);
            assertTrue(sentence.contains("in version 99 of their format, expected 4: run the same version"), sentence);
        }
    }
}
