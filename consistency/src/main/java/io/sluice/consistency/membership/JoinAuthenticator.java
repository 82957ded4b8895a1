package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Authenticates nodes that request to join a cluster with a secret. It answers each join with a challenge that only a
 * node with the secret can answer, and drops a challenge that is not answered in time.
 *
 * <p>Any process can send joins, so the number of challenges is bounded: a new challenge replaces the oldest one once
 * an honest node had enough time to answer that. Used by the coordinator's thread.
 */
final class JoinAuthenticator {
    private static final int MOST = 64;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final KeySchedule schedule;
    private final long clusterId;
    private final JoinProof proofs;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ProofDecoder proof = new ProofDecoder();
    private final List<Pending> pending = new ArrayList<>();
    private final Consumer<NodeProxy> unproved;

    /** The coordinator's own nonce, from which its key is derived. */
    private final long nonce = JoinProof.newNonce();

    /**
     * Begins without challenges.
     *
     * @param schedule  derives keys from the cluster's secret
     * @param clusterId id of this run
     * @param unproved  receives each candidate that did not answer its challenge; its link is then closed
     */
    JoinAuthenticator(KeySchedule schedule, long clusterId, Consumer<NodeProxy> unproved) {
        this.schedule = schedule;
        this.clusterId = clusterId;
        this.unproved = unproved;
        this.proofs = new JoinProof(schedule);
        messages.identify(clusterId, ControlIds.COORDINATOR);
    }

    /** Creates the seal of the coordinator's messages to members. */
    FrameSeal newSeal() {
        return new SenderSeals(schedule.sender(clusterId, 0, ControlIds.COORDINATOR, nonce)).newSeal();
    }

    /** Creates the opener that decrypts sealed messages from admitted members. */
    FrameOpener newOpener() {
        return new FrameOpener(schedule, clusterId, ControlIds.COORDINATOR, ControlIds.LONGEST);
    }

    /** The coordinator's own nonce, from which its key is derived. */
    long nonce() {
        return nonce;
    }

    /** The object that creates and verifies proofs. */
    JoinProof proofs() {
        return proofs;
    }

    boolean isAsked(long joinNonce) {
        return null != find(joinNonce);
    }

    /** Whether one more challenge can be sent now. */
    boolean hasRoom(long nowNs) {
        return pending.size() < MOST || nowNs - pending.getFirst().sinceNs > LEAST_NS;
    }

    /**
     * Sends a challenge to a candidate. If {@value #MOST} challenges are pending, gives up the oldest one; callers
     * check {@link #hasRoom} first.
     */
    void challenge(NodeProxy candidate, long nowNs) {
        if (pending.size() >= MOST) {
            giveUp(pending.removeFirst());
        }
        Pending asked = new Pending(candidate, JoinProof.newChallenge(), nowNs);
        candidate.enqueue(messages, messages.challenge(candidate.nonce, nonce, asked.challenge, proofs));
        pending.add(asked);
    }

    /** Whether a proof was made with the secret, for any challenge. */
    boolean isGenuine(DirectBuffer buffer, int offset, int length) {
        return proofs.verify(buffer, offset, length);
    }

    /**
     * Handles a genuine proof.
     *
     * @return the candidate that has proved itself, or null if the proof is for another challenge
     */
    NodeProxy prove(DirectBuffer buffer, int offset) {
        proof.wrapAndApplyHeader(buffer, offset, header);
        Pending asked = find(proof.nonce());
        if (null == asked || proof.coordinator() != nonce) {
            return null;
        }
        byte[] answered = new byte[JoinProof.LENGTH];
        proof.getChallenge(answered, 0, answered.length);
        NodeProxy candidate = asked.candidate;
        String endpoint = proof.endpoint(); // SBE texts must be read in order
        String host = proof.host();
        boolean same = MessageDigest.isEqual(answered, asked.challenge)
                && candidate.role.ordinal() == proof.role()
                && (candidate.isMember || candidate.index == proof.index())
                && candidate.endpoint.equals(endpoint)
                && candidate.hostNow.equals(host)
                && (candidate.isMember || candidate.claims.equals(Claims.of(proof)));
        if (!same) {
            return null;
        }
        pending.remove(asked);
        return candidate;
    }

    /** Sends queued messages, and forgets challenges that are overdue; returns the number of messages. */
    int work(long nowNs) {
        int sent = 0;
        for (Pending each : pending) {
            sent += each.candidate.flush();
        }
        while (!pending.isEmpty() && nowNs - pending.getFirst().sinceNs > PATIENCE_NS) {
            giveUp(pending.removeFirst());
        }
        return sent;
    }

    void close() {
        pending.forEach(each -> each.candidate.close());
    }

    private void giveUp(Pending asked) {
        if (asked.candidate.isMember) {
            return; // any process may have sent a join in the name of this node
        }
        asked.candidate.close();
        unproved.accept(asked.candidate);
    }

    private Pending find(long joinNonce) {
        for (Pending each : pending) {
            if (each.candidate.nonce == joinNonce) {
                return each;
            }
        }
        return null;
    }

    private record Pending(NodeProxy candidate, byte[] challenge, long sinceNs) {}
}
