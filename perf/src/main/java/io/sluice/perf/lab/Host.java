package io.sluice.perf.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A host of a lab: an address, a link, a folder in shared memory, and the processes that are started on it. It shares
 * files, processors and the clock with this machine.
 */
public final class Host {
    /**
     * The first of 12,000 ports that no process of a host uses, since the kernel assigns ports from 32,768 on to
     * senders.
     */
    public static final int FREE_PORTS = 20_000;

    private static final String NETWORK = "10.77.0.";
    private static final String JVM_OPTIONS = "SLUICE_JVM_OPTS";

    private final LabName lab;
    private final int index;
    private final int hosts;
    private final Link link;

    Host(LabName lab, int index, LabPlan plan) {
        this.lab = lab;
        this.index = index;
        hosts = plan.hosts();
        link = new Link(lab, LinkName.host(index), plan);
    }

    /** Number of the host, from 0. */
    public int index() {
        return index;
    }

    /** IPv4 address of the host. */
    public String address() {
        return address(index);
    }

    /** The address of a host with a number, in any lab. */
    public static String address(int index) {
        return NETWORK + (index + 1);
    }

    /** Link of the host to the switch. */
    public Link link() {
        return link;
    }

    /** The host's folder, in memory if the machine has a memory file system; removed with the lab. */
    public Path folder() {
        return lab.folder().resolve("host" + index);
    }

    /** The name of the host's network namespace, for {@code ip netns exec}. */
    public String namespace() {
        return lab.host(index);
    }

    /**
     * Prepares a process on this host; redirect its streams, then start it. The process ends with the lab at the
     * latest. Its environment describes the host (see {@link #environment}), and a sluice command in it uses this
     * host's media driver.
     */
    public ProcessBuilder process(List<String> command) {
        List<String> words = new ArrayList<>(List.of(SystemCommand.path("ip"), "netns", "exec", namespace()));
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words);
        Map<String, String> environment = builder.environment();
        environment.putAll(environment());
        String driver = "-Dsluice.aeron.dir=" + folder().resolve("aeron");
        environment.merge(JVM_OPTIONS, driver, (given, own) -> given + " " + own);
        return builder;
    }

    /**
     * Runs an action on a thread inside this host and waits for it. Sockets that it opens belong to this host
     * permanently; any thread may use them afterwards.
     */
    public <T> T call(Callable<T> action) throws IOException, InterruptedException {
        return NamespaceThread.call(namespace(), action);
    }

    /** Variables in the environment of processes: {@code LAB_HOST}, {@code LAB_HOSTS} and so on. */
    public Map<String, String> environment() {
        Map<String, String> variables = IntStream.range(0, hosts)
                .boxed()
                .collect(Collectors.toMap(other -> "LAB_ADDRESS_" + other, Host::address));
        variables.put("LAB_HOST", Integer.toString(index));
        variables.put("LAB_HOSTS", Integer.toString(hosts));
        variables.put("LAB_ADDRESS", address());
        variables.put(
                "LAB_ADDRESSES",
                IntStream.range(0, hosts).mapToObj(Host::address).collect(Collectors.joining(" ")));
        variables.put("LAB_FOLDER", folder().toString());
        return variables;
    }
}
