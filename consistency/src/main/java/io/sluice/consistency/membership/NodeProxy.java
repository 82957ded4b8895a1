package io.sluice.consistency.membership;

import io.sluice.messaging.Routes;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The coordinator's record of a node: how it joined, the link to it, and the messages and events that it has yet to
 * receive.
 */
final class NodeProxy {
    static final long UNKNOWN = -1;

    final Role role;
    final long nonce;
    final String endpoint;
    final String host;
    private final ControlNetwork network;

    /** Link to the node; null if the node can no longer be reached. */
    private ControlNetwork.Line link;

    final Claims claims;

    /** Index that the node requests; -1 for any. */
    final int wanted;

    /** Index among its role; -1 until assigned. */
    int index;

    /** Whether it was admitted. */
    boolean isMember;

    /**
     * The host that the node states when it joins. A rejoining node may be on a different host from the one for which
     * trees are planned.
     */
    String hostNow;

    /** Time at which the node began to wait. */
    long sinceNs;

    /** Time of the node's last request to join. */
    long askedNs;

    /** Number of the coordinator's last heartbeat before that request. */
    long askedBeat;

    /** Highest beat of the coordinator that the node reports to have received as a member; 0 for none. */
    long heardBeat;

    /** Time at which an event was last offered to the node after it ceased to be a member. */
    long triedNs;

    /** Clock or version that the node has reached; -1 for none. */
    long clock;

    long version = -1;

    /** The change that the node requests, as of its last report. */
    WorkerSetChanges.Wish wish;

    /** The proposal that the node answered last. */
    long proposal;

    /** The answer to that proposal. */
    long answer;

    /** The clock of the last change that the node, a server, has passed according to its reports. */
    long passed;

    /** Number of the last event that was sent to the node; {@link #UNKNOWN} before its first report. */
    long sent = UNKNOWN;

    /** Time at which that event was sent. */
    long sentNs;

    /** Number of the last event that the node has applied; {@link #UNKNOWN} before its first report. */
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
     * Creates a candidate and requests a link to the endpoint that it names; null if no node can have that endpoint.
     * The endpoint must be a literal unicast address: resolving a host name that an outsider sends could block the
     * coordinator for longer than a node may be silent. The call does not wait for the media driver.
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
            return null; // an outsider's address that no socket can reach
        }
    }

    /** Creates a placeholder for a node that may join while the job runs. */
    static NodeProxy absent(Role role, int index) {
        return unreachable(role, index, new Event.Seat(0, "", ""));
    }

    /** Creates a node that can no longer be reached. */
    static NodeProxy unreachable(Role role, int index, Event.Seat seat) {
        return new NodeProxy(role, index, seat.nonce(), seat.endpoint(), seat.host(), Claims.NONE, null);
    }

    /** Whether there is a link to the node, or may be one soon. */
    boolean isReachable() {
        return null != link && !link.isRefused();
    }

    /** Whether the driver has refused the link, for example because its directory is full. */
    boolean isRefusedByDriver() {
        return null != link && link.isRefused();
    }

    /** Requests a link again if the driver has refused one. */
    void reopen() {
        link = network.request("coordinator to " + endpoint, Endpoint.parse(endpoint));
    }

    private boolean isOpen() {
        return null != link && link.isOpen();
    }

    void close() {
        CloseHelper.quietClose(link);
    }

    /** Keeps a copy of the message that was written last until the link accepts it. */
    void enqueue(ControlMessages messages, int length) {
        byte[] copy = new byte[messages.addressed(nonce, length)];
        messages.buffer().getBytes(0, copy);
        outgoing.add(new UnsafeBuffer(copy));
    }

    /** Sends the message that was written last, if the link accepts it now; returns whether it does. */
    boolean offer(ControlMessages messages, int length) {
        return isOpen() && link.offer(messages.buffer(), 0, messages.addressed(nonce, length));
    }

    /** Removes candidates whose last request is older than a limit, and closes their links. */
    static void removeExpired(List<NodeProxy> candidates, long nowNs, long patienceNs) {
        for (int i = candidates.size() - 1; i >= 0; i--) {
            if (nowNs - candidates.get(i).askedNs > patienceNs) {
                candidates.remove(i).close();
            }
        }
    }

    /** Whether a node is a worker, and has or may get an index other than this one's. */
    boolean isOtherWorker(NodeProxy other) {
        return Role.WORKER == other.role && (other.index < 0 || other.index != index);
    }

    /** Name of a worker that may have no index yet. */
    String workerName() {
        return index < 0 ? "the worker at " + endpoint : "worker " + index;
    }

    /** Records the clock or version that the node reports. */
    void reached(long told) {
        clock = Math.max(0, told);
        version = told;
    }

    Event.Seat seat() {
        return new Event.Seat(nonce, endpoint, host);
    }

    boolean isFlushed() {
        return outgoing.isEmpty();
    }

    /** Whether there is an open link to the node, and no queued message. */
    boolean isReached() {
        return isFlushed() && isOpen();
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
