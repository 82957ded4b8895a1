package io.sluice.consistency.membership;

import io.sluice.consistency.terms.Role;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.MessagingException;
import io.sluice.messaging.Routes;
import java.net.InetAddress;
import java.util.ArrayDeque;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/** A node as the coordinator knows it: how it joined, the link to it, and what it still has to be told. */
final class NodeProxy {
    static final long UNKNOWN = -1;

    final Role role;
    final long nonce;
    final String endpoint;
    final String host;
    private final ControlNetwork network;

    /** Null if nothing can be sent to it any more. */
    private ControlNetwork.Line link;

    final Claims claims;

    /** Index that it asks for; -1 for any. */
    final int wanted;

    /** Index among its role; -1 until assigned. */
    int index;

    /** Whether it was let in. */
    boolean isMember;

    /** The host that it names when it asks: one that came back may be at another than trees were made for. */
    String hostNow;

    /** Since when it waits, and when it asked last. */
    long sinceNs;

    long askedNs;

    /** Number of the coordinator's last heartbeat before it asked. */
    long askedBeat;

    /** Highest number of a heartbeat of the coordinator that it has heard as a member, as it reports; 0 for none. */
    long heardBeat;

    /** When an event was last offered to it although it is not there any more. */
    long triedNs;

    /** Clock or version that it has reached, and that as it came: -1 if there is none. */
    long clock;

    long version = -1;

    /** What it wants, as it reported last. */
    WorkerSetChanges.Wish wish;

    /** The proposal that it answered last, and the answer. */
    long proposal;

    long answer;

    /** Of a server, the clock of the last change that it is past, as it reports. */
    long passed;

    /** Number of the last event that was sent to it, and when; {@link #UNKNOWN} until it is known what it has. */
    long sent = UNKNOWN;

    long sentNs;

    /** Number of the last event that it has applied; {@link #UNKNOWN} before it was heard as a member. */
    long applied = UNKNOWN;

    private final ArrayDeque<UnsafeBuffer> outgoing = new ArrayDeque<>();

    private NodeProxy(
            Role role, int index, long nonce, String endpoint, String host, Claims claims, ControlNetwork network) {
        this.role = role;
        this.index = index;
        this.wanted = index;
        this.nonce = nonce;
        this.endpoint = endpoint;
        this.host = host;
        this.hostNow = host;
        this.claims = claims;
        this.network = network;
    }

    /**
     * A candidate whose link to the endpoint that it names is being opened, or null if the endpoint cannot be that of a
     * node. Only addresses of single hosts count: to look a stranger's host name up could hold the coordinator up for
     * longer than a node may be silent. Nor does this wait for the media driver.
     */
    static NodeProxy reachedBy(
            ControlNetwork network, int roleCode, int index, long nonce, Claims claims, String endpoint, String host) {
        Role role = Role.SERVER.ordinal() == roleCode ? Role.SERVER : Role.WORKER;
        try {
            Endpoint parsed = Endpoint.parse(endpoint);
            if (!Routes.isOneHost(InetAddress.ofLiteral(parsed.host()))) {
                return null;
            }
            NodeProxy candidate = new NodeProxy(role, index, nonce, endpoint, host, claims, network);
            candidate.link = network.request("coordinator to " + endpoint, parsed);
            return candidate;
        } catch (MessagingException | IllegalArgumentException e) {
            return null; // a stranger's address that no socket can reach: nothing can be sent there
        }
    }

    /** In place of a node that may come while the job runs. */
    static NodeProxy absent(Role role, int index) {
        return unreachable(role, index, new Event.Seat(0, "", ""));
    }

    /** One to which nothing can be sent any more. */
    static NodeProxy unreachable(Role role, int index, Event.Seat seat) {
        return new NodeProxy(role, index, seat.nonce(), seat.endpoint(), seat.host(), Claims.NONE, null);
    }

    /** Whether there is a link to it, or may be one soon. */
    boolean isReachable() {
        return null != link && !link.isRefused();
    }

    /** Whether there is none because the driver has refused it, which may have been for want of room. */
    boolean isRefusedByDriver() {
        return null != link && link.isRefused();
    }

    /** Asks for a link once more where the driver has refused one. */
    void reopen() {
        link = network.request("coordinator to " + endpoint, Endpoint.parse(endpoint));
    }

    private boolean isOpen() {
        return null != link && link.isOpen();
    }

    void close() {
        CloseHelper.quietClose(link);
    }

    /** Keeps a copy of the message that was written last until the link takes it. */
    void tell(ControlMessages messages, int length) {
        byte[] copy = new byte[messages.addressed(nonce, length)];
        messages.buffer().getBytes(0, copy);
        outgoing.add(new UnsafeBuffer(copy));
    }

    /** Sends the message that was written last, if the link takes it now; returns whether it does. */
    boolean offer(ControlMessages messages, int length) {
        return isOpen() && link.offer(messages.buffer(), 0, messages.addressed(nonce, length));
    }

    /** Notes what it has told of. */
    void reached(long told) {
        clock = Math.max(0, told);
        version = told;
    }

    Event.Seat seat() {
        return new Event.Seat(nonce, endpoint, host);
    }

    boolean isTold() {
        return outgoing.isEmpty();
    }

    /** Whether there is a link to it, and nothing that it should hear before anything else. */
    boolean isReached() {
        return isTold() && isOpen();
    }

    int flush() {
        int sent = 0;
        while (!outgoing.isEmpty() && isOpen()) {
            UnsafeBuffer message = outgoing.peek();
            if (!link.offer(message, 0, message.capacity())) {
                break;
            }
            outgoing.remove();
            sent++;
        }
        return sent;
    }
}
