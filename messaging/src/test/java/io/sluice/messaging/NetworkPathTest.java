package io.sluice.messaging;

import static io.sluice.messaging.Namespaces.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two hosts in namespaces and a router between them whose far side has a smaller MTU. */
@Timeout(180)
class NetworkPathTest {
    private static final String NEAR = "10.78.1.";
    private static final String FAR = "10.78.2.";

    @AutoClose
    private final Namespaces hosts = new Namespaces("sluicepath");

    @Test
    void thisHostIsLoopback() {
        Channels channels = new Channels();
        NetworkPath path = channels.probe(new Endpoint("127.0.0.1", 1));
        assertEquals(NetworkProfile.LOOPBACK, path.profile());
        assertEquals(channels.mtuTowards(new Endpoint("127.0.0.1", 1)), path.mtu());
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({
        "9000, 9000, JUMBO, 9000, 8896",
        "9000, 1500, ETHERNET, 1500, 1408",
        "9000, 4000, JUMBO, 4000, 3904",
        "1500, 1500, ETHERNET, 1500, 1408",
        "1500, 1280, ETHERNET, 1280, 1184"
    })
    void theNarrowestLinkOnTheWayDecides(int near, int far, NetworkProfile profile, int pathMtu, int mtu) {
        route(near, far);
        assertEquals(profile + " " + pathMtu + " " + mtu, probe("0"));
    }

    @Tag("slow")
    @Test
    void anMtuThatThePathWouldSplitIsRefused() {
        route(9000, 1500);
        assertEquals("ETHERNET 1500 1408", probe("1408"));
        String said = probe("8896");
        assertTrue(
                said.startsWith("mtu=8896 does not fit the path to " + FAR + "1, which carries packets of 1500"), said);
    }

    /** The probe of a JVM on the near host. */
    private String probe(String mtu) {
        return Subprocess.run(hosts.java("near", NetworkPathTest.class, List.of("-Dsluice.mtu=" + mtu), FAR + 1));
    }

    /** Runs in the JVM on the near host. */
    public static void main(String[] args) {
        try {
            NetworkPath path = new Channels().probe(new Endpoint(args[0], 40_100));
            System.out.println(path.profile() + " " + path.pathMtu() + " " + path.mtu());
        } catch (MessagingException e) {
            System.out.println(e.getMessage());
        }
    }

    private void route(int nearMtu, int farMtu) {
        List.of("router", "near", "far").forEach(hosts::add);
        wire("near", NEAR, nearMtu);
        wire("far", FAR, farMtu);
        run("ip", "netns", "exec", hosts.name("router"), "sysctl", "-qw", "net.ipv4.ip_forward=1");
    }

    private void wire(String host, String network, int mtu) {
        String name = hosts.name(host);
        String router = hosts.name("router");
        String size = String.valueOf(mtu);
        String peer = "eth0";
        run("ip", "-n", router, "link", "add", host, "mtu", size, "type", "veth", "peer", "name", peer, "netns", name);
        run("ip", "-n", router, "address", "add", network + "254/24", "dev", host);
        run("ip", "-n", router, "link", "set", host, "up");
        run("ip", "-n", name, "link", "set", peer, "mtu", size);
        run("ip", "-n", name, "address", "add", network + "1/24", "dev", peer);
        run("ip", "-n", name, "link", "set", peer, "up");
        run("ip", "-n", name, "route", "add", "default", "via", network + "254");
    }
}
