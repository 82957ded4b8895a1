package io.sluice.messaging;

/**
 * The kinds of way there are between two nodes, by what a frame costs on them; {@link Channels} tunes each for itself.
 * What is chosen and why is in {@code docs/tuning.md}.
 */
public enum NetworkProfile {
    /** Processes of one host that share a log: no copy, no datagram. */
    IPC("shared memory"),

    /** UDP that never leaves the host: a datagram costs the same whatever its length, so they are long. */
    LOOPBACK("UDP on this host"),

    /** Packets of up to 1,500 bytes, or what a tunnel leaves of them: a frame is many datagrams. */
    ETHERNET("UDP over 1,500-byte packets"),

    /** Longer packets all the way: a frame is few datagrams. */
    JUMBO("UDP over jumbo packets");

    private final String words;

    NetworkProfile(String words) {
        this.words = words;
    }

    /**
     * The profile of a way between hosts.
     *
     * @param pathMtu longest packet that travels in one piece, in bytes with the IP header.
     * @return {@link #ETHERNET} or {@link #JUMBO}.
     */
    static NetworkProfile ofPath(int pathMtu) {
        return pathMtu > Routes.ETHERNET_MTU ? JUMBO : ETHERNET;
    }

    /** As a person says it. */
    public String words() {
        return words;
    }
}
