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
 * The coordinators of a job that has several, in processes of their own: whichever dies is started again, with the
 * folder that it had. None where server 0 coordinates.
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
        /** Starts one, on a host; {@code reports} hears what it reports. */
        ClusterProcess launch(String name, int host, List<String> command, Consumer<JsonNode> reports)
                throws IOException;
    }

    /**
     * Of which nothing runs yet.
     *
     * @param folder in which each gets one of its own
     * @param secret of the cluster
     */
    Coordinators(Terms terms, Site site, Path folder, Path secret, Launcher launcher) {
        this.terms = terms;
        this.site = site;
        this.folder = folder;
        this.secret = secret;
        this.launcher = launcher;
        this.members = new ClusterProcess[terms.coordinators()];
    }

    /** Whether there are any. */
    boolean areSeveral() {
        return members.length > 0;
    }

    Leaders leaders() {
        return leaders;
    }

    /** All, also those that do not run. */
    List<ClusterProcess> processes() {
        return List.of(members);
    }

    /** Those that lead, or those that do not, of those that run. */
    List<ClusterProcess> living(boolean leading) {
        return Stream.of(members)
                .filter(member -> member.isAlive() && leading == leaders.isLedBy(member.name()))
                .toList();
    }

    /** Ends all, and starts them for a new job, with empty folders and the clock to restore; empty for the newest. */
    void start(String clock) throws IOException {
        restore = clock;
        end();
        leaders.restart();
        for (int member = 0; member < members.length; member++) {
            start(member);
        }
    }

    /** Starts those that do not run; returns whether there were any. */
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

    /** Whether they have ended because there is nothing to coordinate any more: the job is over, or has failed. */
    boolean haveClosed() {
        return Arrays.stream(members).anyMatch(ClusterProcess::isDone);
    }

    /** Ends all, and deletes what they keep. */
    void end() {
        Stream.of(members).filter(Objects::nonNull).forEach(ClusterProcess::end);
        IoUtil.delete(folder.toFile(), true);
    }
}
