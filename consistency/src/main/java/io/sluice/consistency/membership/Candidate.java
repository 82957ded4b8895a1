package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.MessagingException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A node as the coordinator knows it: how it joined, the link to it, and what it still has to be told. */
final class Candidate {
    final Role role;
    final long nonce;
    final String endpoint;
    final String host;
    final ControlNetwork.Line link;
    /** Snapshots that it holds, newest first. */
    final List<SnapshotFolder.Held> held;
    /** Index among its role; -1 until assigned. */
    int index;
    /** Whether it was let in by another coordinator than this. */
    boolean wasLetIn;

    /** The host that it names when it asks: one that came back may be at another than trees were made for. */
    String hostNow;

    /** When it last asked to join. */
    long askedNs;
    /** Clock or version it last told of, and that as it came: -1 if there is none. */
    long clock;

    long version = -1;
    /** Whether it is there, as was decided last. */
    Presence presence = Presence.HERE;

    /** Whether its place will be free before long: it is gone, or is to go, and others have yet to be past that. */
    boolean isGoing;

    /** Whether it is a server that has come while the job runs, and that nobody needs yet, for it owns nothing. */
    boolean isArriving;

    /** The last clock that it has pushed, if it has left. */
    long leftAt;

    /** When it asked to join a cluster that was complete. */
    long returnedNs;

    /** That it was taken for dead, in words for itself; null if it was not. */
    ClusterException verdict;

    /** When it was told of that last. */
    long verdictNs;

    private final ArrayDeque<UnsafeBuffer> outgoing = new ArrayDeque<>();

    private Candidate(
            Role role,
            int index,
            long nonce,
            String endpoint,
            String host,
            ControlNetwork.Line link,
            List<SnapshotFolder.Held> held) {
        this.role = role;
        this.index = index;
        this.nonce = nonce;
        this.endpoint = endpoint;
        this.host = host;
        this.hostNow = host;
        this.link = link;
        this.held = held;
    }

    /**
     * A candidate with a link to the endpoint it names, or null if no link can be had to that. Only addresses count as
     * endpoints: to look a stranger's host name up could hold the coordinator up for longer than a node may be silent.
     */
    static Candidate reachedBy(
            ControlNetwork network,
            int roleCode,
            int index,
            long nonce,
            List<SnapshotFolder.Held> held,
            String endpoint,
            String host) {
        Role role = Role.SERVER.ordinal() == roleCode ? Role.SERVER : Role.WORKER;
        try {
            Endpoint parsed = Endpoint.parse(endpoint);
            InetAddress.ofLiteral(parsed.host());
            ControlNetwork.Line link = network.connect("coordinator to " + endpoint, parsed);
            return new Candidate(role, index, nonce, endpoint, host, link, held);
        } catch (MessagingException | IllegalArgumentException e) {
            return null; // a stranger's address that no socket can reach: there is nobody to tell
        }
    }

    /** In place of a node that may come while the job runs. */
    static Candidate absent(Role role, int index) {
        Candidate absent = new Candidate(role, index, 0, "", "", null, List.of());
        absent.presence = Presence.VACANT; // nobody has to be told anything, and nothing is taken in its name
        return absent;
    }

    /** One that nothing can be told any more. */
    static Candidate unreachable(Role role, int index, Decision.Seat seat) {
        return new Candidate(role, index, seat.nonce(), seat.endpoint(), seat.host(), null, List.of());
    }

    /** Keeps a copy of a message until the link takes it. */
    void tell(DirectBuffer buffer, int length) {
        byte[] copy = new byte[length];
        buffer.getBytes(0, copy);
        outgoing.add(new UnsafeBuffer(copy));
    }

    /** Notes what it has told of. */
    void reached(long told) {
        clock = Math.max(0, told);
        version = told;
    }

    /** Whether it still takes part, or is awaited. */
    boolean isHere() {
        return Presence.HERE == presence || isAway();
    }

    /** Whether it has said goodbye. */
    boolean hasLeft() {
        return Presence.LEFT == presence || Presence.GONE == presence;
    }

    /** Whether it was taken for dead, and the cluster went on without it. */
    boolean isLost() {
        return Presence.LOST == presence;
    }

    /** Whether it was taken for dead, and the cluster waits for another in its place. */
    boolean isAway() {
        return Presence.AWAY == presence;
    }

    /** Whether another may take its place, for it is needed for nothing any more, or nobody has come yet. */
    boolean isVacant() {
        return Presence.VACANT == presence;
    }

    Decision.Seat seat() {
        return new Decision.Seat(nonce, endpoint, host);
    }

    /** Whether nobody else can have its place, nor will before long. */
    boolean keepsPlace() {
        return !isVacant() && !isGoing;
    }

    boolean isTold() {
        return outgoing.isEmpty();
    }

    /** Whether there is a link to it, and nothing that it should hear before anything else. */
    boolean isReached() {
        return null != link && isTold();
    }

    int flush() {
        int sent = 0;
        while (null != link && !outgoing.isEmpty()) {
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
