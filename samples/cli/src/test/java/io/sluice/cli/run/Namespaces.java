package io.sluice.cli.run;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;

/** Network namespaces at one bridge, each a host with an address of its own. Nothing outside them is touched. */
final class Namespaces implements AutoCloseable {
    private static final String NETWORK = "10.77.0.";

    private final String prefix = "sluice" + ProcessHandle.current().pid();
    private final String hub = prefix + "hub";
    private final List<String> made = new ArrayList<>();

    /** Creates the namespaces; skips the test where that is not possible. */
    Namespaces(int hosts) {
        Root.assume("a network of namespaces", "ip");
        Root.Result first = Root.attempt("ip", "netns", "add", hub);
        assumeTrue(first.code() == 0, "no network namespace can be created here: " + first.said());
        made.add(hub);
        try {
            Root.run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge");
            Root.run("ip", "-n", hub, "link", "set", "bridge", "up");
            for (int host = 0; host < hosts; host++) {
                add(host);
            }
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    private void add(int host) {
        String name = name(host);
        Root.run("ip", "netns", "add", name);
        made.add(name);
        String port = "port" + host;
        Root.run("ip", "-n", hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name);
        Root.run("ip", "-n", hub, "link", "set", port, "master", "bridge", "up");
        Root.run("ip", "-n", name, "link", "set", "lo", "up");
        Root.run("ip", "-n", name, "address", "add", address(host) + "/24", "dev", "eth0");
        Root.run("ip", "-n", name, "link", "set", "eth0", "up");
    }

    private String name(int host) {
        return prefix + "host" + host;
    }

    String address(int host) {
        return NETWORK + (host + 1);
    }

    /** Starts commands on that host. */
    Cli on(int host) {
        return Cli.plain().through("ip", "netns", "exec", name(host));
    }

    /** Removes them, and with them their links and the bridge. */
    @Override
    public void close() {
        made.forEach(name -> Root.attempt("ip", "netns", "delete", name));
    }
}
