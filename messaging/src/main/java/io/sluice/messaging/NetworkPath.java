package io.sluice.messaging;

/**
 * What is known of the way to a peer by UDP.
 *
 * @param profile which kind it is of.
 * @param pathMtu longest packet that travels in one piece, in bytes with its headers; for a peer on this host what UDP
 *     can carry at all.
 * @param mtu Aeron's MTU for it: bytes of a datagram's payload, Aeron's header included.
 */
public record NetworkPath(NetworkProfile profile, int pathMtu, int mtu) {
    @Override
    public String toString() {
        return profile.words() + ", packets of up to " + pathMtu + " bytes, MTU " + mtu;
    }
}
