package io.sluice.messaging;

/**
 * The properties of the UDP path to a peer.
 *
 * @param profile the kind of path.
 * @param pathMtu length of the longest packet that is not fragmented, in bytes, including headers; for a peer on this
 *     host, the longest that UDP allows.
 * @param mtu Aeron's MTU for the path: bytes of a datagram's payload, including Aeron's header.
 */
public record NetworkPath(NetworkProfile profile, int pathMtu, int mtu) {
    @Override
    public String toString() {
        return profile.words() + ", packets of up to " + pathMtu + " bytes, MTU " + mtu;
    }
}
