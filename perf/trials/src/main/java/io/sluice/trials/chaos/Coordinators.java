package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.IoUtil;

/**
 * The coordinators of a job that has several, in processes of their own. A dead coordinator is started again in its
 * folder. Empty if server 0 is the coordinator.
 */
final class Coordinators {
    private final Terms terms;
    private final Site site;
    private final Path folder;
    private final Path secret;
    private final Launcher launcher;
    private final ClusterProcess[] members;
    private String restore = "";
    private final Leaders leaders = new Leaders();

    /** Starts processes. */
    @FunctionalInterface
    interface Launcher {
        /** Starts a process on a host; {@code reports} receives its reports. */
        ClusterProcess launch(String name, int host, List<String> command, Consumer<JsonNode> reports)
                throws IOException;
    }

    /**
     * Creates coordinators without processes.
     *
     * @param folder folder in which each coordinator gets a folder of its own
     * @param secret secret of the cluster
     */
    Coordinators(Terms terms, Site site, Path folder, Path secret, Launcher launcher) {
        this.terms = terms;
        this.site = site;
        this.folder = folder;
        this.secret = secret;
        this.launcher = launcher;
        this.members = new ClusterProcess[terms.coordinators()];
    }

    /** Whether the job has several coordinators. */
    boolean areSeveral() {
        return members.length > 0;
    }

    Leaders leaders() {
        return leaders;
    }

    /** All coordinators, running or not. */
    List<ClusterProcess> processes() {
        return List.of(members);
    }

    /** The running coordinator that leads, or the running ones that do not. */
    List<ClusterProcess> living(boolean leading) {
        return Stream.of(members)
                .filter(member -> member.isAlive() && leading == leaders.isLedBy(member.name()))
                .toList();
    }

    /**
     * Ends all coordinators, and starts them for a new job with empty folders.
     *
     * @param clock clock to restore; empty for the newest
     */
    void start(String clock) throws IOException {
        restore = clock;
        end();
        leaders.restart();
        for (int member = 0; member < members.length; member++) {
            start(member);
        }
    }

    /** Starts the coordinators that are not running; returns whether there were any. */
    boolean startDead() throws IOException {
        boolean any = false;
        for (int member = 0; member < members.length; member++) {
            if (!members[member].isAlive()) {
                start(member);
                any = true;
            }
        }
        return any;
    }

    private void start(int member) throws IOException {
        String name = "coordinator " + member;
        int host = member % site.hosts();
        List<String> command = terms.coordinator(
                member, site.cluster(), site.driver(host), folder.resolve("member-" + member), secret, restore);
        members[member] = launcher.launch(
                name,
                host,
                command,
                event -> leaders.accept(name, event.path("text").asText()));
    }

    /** Whether a coordinator has ended with exit code 0: the job is over or has failed. */
    boolean haveClosed() {
        return Arrays.stream(members).anyMatch(ClusterProcess::isDone);
    }

    /** Ends all coordinators and deletes their folders. */
    void end() {
        Stream.of(members).filter(Objects::nonNull).forEach(ClusterProcess::end);
        IoUtil.delete(folder.toFile(), true);
    }
}
