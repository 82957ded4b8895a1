package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * Tracks the coordinator that a node follows: the only one, or, of several, the leader of the latest term of office
 * (decision 8). Each leadership has a higher term of office than all earlier ones and, with a secret, a nonce from
 * which its key is derived. With a secret, a message is the leader's if that key opens it, whichever stream carries it;
 * an announcement proves itself once, and a repeated one changes nothing. Without a secret, only the stream of the last
 * announcement is the leader's.
 *
 * <p>Used by one thread at a time.
 */
final class LeaderTracker implements AutoCloseable {
    private static final int NO_LEADER = -1;

    private final List<Endpoint> addresses;
    private final List<ControlNetwork.Line> links = new ArrayList<>();
    private final ControlHandler control;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final LeadDecoder lead = new LeadDecoder();

    /** Secret of the cluster; null if it has none. */
    private final JoinSecret secret;

    private final Consumer<Rejection> reject;
    private int leader = NO_LEADER;
    private long term = -1;
    private int session;

    /** Nonce of the leader's key; 0 without a secret. */
    private long leaderNonce;

    /** Whether the leader was silent for too long. */
    private boolean lost;

    /**
     * Starts without a leader, unless there is only one coordinator.
     *
     * @param network   opens links to all of them
     * @param addresses addresses of the coordinators, in their order
     * @param control   control handler that opens frames of the leader
     * @param secret    secret of the cluster; null if it has none
     * @param reject    counts announcements that are not genuine
     */
    LeaderTracker(
            ControlNetwork network,
            List<Endpoint> addresses,
            ControlHandler control,
            JoinSecret secret,
            Consumer<Rejection> reject) {
        this.addresses = addresses;
        this.control = control;
        this.secret = secret;
        this.reject = reject;
        try {
            for (Endpoint address : addresses) {
                String label = isOfSeveral() ? "to the coordinator at " + address : "to the coordinator";
                links.add(network.connect(label, address));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether another coordinator can take over. */
    boolean isOfSeveral() {
        return addresses.size() > 1;
    }

    /** The addresses of all coordinators, for messages. */
    String where() {
        return addresses.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }

    /** Name of the coordinator that leads, for the beginning of a message. */
    String leaderName() {
        if (!isOfSeveral()) {
            return "the coordinator (server 0)";
        }
        return NO_LEADER == leader
                ? "the leading one of the coordinators at " + where()
                : "coordinator " + leader + " at " + addresses.get(leader);
    }

    /** The number of coordinators that must run for one of them to lead. */
    int majority() {
        return addresses.size() / 2 + 1;
    }

    /** Whether a stream is the leader's; with a secret, messages prove themselves. */
    boolean isFromLeader(int ofSession) {
        boolean its = !isOfSeveral() || NO_LEADER != leader && (null != secret || session == ofSession);
        lost &= !its;
        return its;
    }

    /** Whether the leader has this nonce. With a single coordinator every nonce counts as the leader's. */
    boolean leadsWith(long nonce) {
        return !isOfSeveral() || NO_LEADER != leader && leaderNonce == nonce;
    }

    /** Sends to the leader; to all coordinators while no leader is known. Returns whether at least one link accepts. */
    boolean offer(DirectBuffer buffer, int length) {
        if (!isOfSeveral()) {
            return links.getFirst().offer(buffer, 0, length);
        }
        boolean taken = false;
        for (int i = 0; i < links.size(); i++) {
            taken |=
                    (lost || NO_LEADER == leader || i == leader) && links.get(i).offer(buffer, 0, length);
        }
        return taken;
    }

    /**
     * Records that the leader has been silent for too long: messages go to all coordinators until a leader answers or
     * announces itself.
     */
    void lose() {
        lost = true;
    }

    /**
     * Handles an announcement, by which a coordinator states that it leads. With a secret, the key of that leader opens
     * messages from then on.
     *
     * @param buffer    buffer holding the frame
     * @param offset    offset of its first byte
     * @param length    length of the frame
     * @param ofSession Aeron session that carries the announcement
     * @param nonce     nonce with which this node has joined
     * @return whether the leader is new, and this node follows it from now on
     */
    boolean follow(DirectBuffer buffer, int offset, int length, int ofSession, long nonce) {
        lead.wrapAndApplyHeader(buffer, offset, header);
        if (!isOfSeveral() || lead.nonce() != nonce || lead.member() >= addresses.size()) {
            reject.accept(Rejection.UNEXPECTED);
            return false;
        }
        if (null != secret && !secret.vouchesFor(buffer, offset, length)) {
            reject.accept(Rejection.BAD_PROOF);
            return false;
        }
        if (lead.term() < term || lead.term() == term && ofSession == session) {
            return false; // the announcement is late or repeated
        }
        if (lead.term() == term && null != secret) { // a leader has one key, which is already known
            reject.accept(lead.coordinator() == leaderNonce ? Rejection.REPLAYED : Rejection.UNEXPECTED);
            return false;
        }
        lost = false;
        term = lead.term();
        leader = lead.member();
        leaderNonce = lead.coordinator();
        session = ofSession;
        if (null != secret) {
            control.openWith(secret.newOpener(Frame.clusterId(buffer, offset), leaderNonce, nonce), reject);
        }
        return true;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(links);
    }
}
