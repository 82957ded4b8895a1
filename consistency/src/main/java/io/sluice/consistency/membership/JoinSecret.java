package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import org.agrona.DirectBuffer;

/**
 * The secret's use in a join: the node verifies the coordinator's challenge, proves that it has the secret, and
 * derives the keys of both sides.
 */
final class JoinSecret {
    private final KeySchedule schedule;
    private final JoinProof proofs;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ChallengeDecoder decoder = new ChallengeDecoder();
    private final byte[] challenge = new byte[JoinProof.LENGTH];
    private long clusterId;
    private long coordinator;
    private boolean changed;

    JoinSecret(ClusterSecret secret) {
        this.schedule = new KeySchedule(secret);
        this.proofs = new JoinProof(schedule);
    }

    /** Whether a challenge was made with the same secret; if so, {@link #prove} answers it. */
    boolean accepts(DirectBuffer buffer, int offset, int length) {
        if (!proofs.verify(buffer, offset, length)) {
            return false;
        }
        decoder.wrapAndApplyHeader(buffer, offset, header);
        decoder.getChallenge(challenge, 0, challenge.length);
        changed = clusterId != Frame.clusterId(buffer, offset) || coordinator != decoder.coordinator();
        clusterId = Frame.clusterId(buffer, offset);
        coordinator = decoder.coordinator();
        return true;
    }

    /**
     * Whether the last two challenges are from different coordinators, because the coordinator was started again.
     */
    boolean isOfAnotherCoordinator() {
        return changed;
    }

    /** Writes the proof that answers the challenge; returns its length. */
    int prove(ControlMessages messages, JoinRequest request, long nonce, String endpoint, String host) {
        messages.identify(clusterId, 0); // the node has no id yet
        return messages.proof(request, nonce, endpoint, host, coordinator, challenge, proofs);
    }

    /** Creates the opener of the coordinator's messages to the node that has joined with a nonce. */
    FrameOpener newOpener(long joinNonce) {
        return newOpener(clusterId, coordinator, joinNonce);
    }

    /** Creates the opener of a coordinator that has not sent the challenge. */
    FrameOpener newOpener(long cluster, long ofCoordinator, long joinNonce) {
        FrameOpener opener = FrameOpener.ofAddressee(schedule, cluster, joinNonce, ControlIds.LONGEST);
        opener.admit(ControlIds.COORDINATOR, 0, ofCoordinator);
        return opener;
    }

    /** Whether a frame that ends in a proof was made with the same secret. */
    boolean vouchesFor(DirectBuffer buffer, int offset, int length) {
        return proofs.verify(buffer, offset, length);
    }

    /** Creates the seals of this node under the id of its welcome. */
    SenderSeals newSeals(ClusterPlan plan, int node, long nonce) {
        return new SenderSeals(schedule.sender(plan.clusterId(), plan.epoch(), node, nonce));
    }

    KeySchedule schedule() {
        return schedule;
    }
}
