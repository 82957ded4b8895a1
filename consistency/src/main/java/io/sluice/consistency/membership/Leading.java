package io.sluice.consistency.membership;

import io.sluice.codecs.seal.JoinProof;

/**
 * How a coordinator that leads for a time says so to each node, before anything else it tells it. One that is the only
 * one need not say it. Used by the coordinator's thread.
 */
final class Leading {
    private final long term;
    private final int member;
    private final ControlMessages messages = new ControlMessages();

    /** Null without a secret. */
    private Admission admission;

    /**
     * For one leadership.
     *
     * @param clusterId this run
     * @param term      higher than that of all leaderships before; negative if there is but one coordinator
     * @param member    which of the coordinators this is
     */
    Leading(long clusterId, long term, int member) {
        this.term = term;
        this.member = member;
        messages.identify(clusterId, ControlIds.COORDINATOR);
    }

    /** Has nodes convinced by the secret from now on. */
    void proveWith(Admission byAdmission) {
        admission = byAdmission;
    }

    /** Whether other coordinators can take over. */
    boolean isOfSeveral() {
        return term >= 0;
    }

    /** Tells a node who leads. */
    void greet(Candidate candidate) {
        if (!isOfSeveral()) {
            return;
        }
        long nonce = null == admission ? 0 : admission.nonce();
        JoinProof proofs = null == admission ? null : admission.proofs();
        candidate.tell(messages, messages.lead(candidate.nonce, nonce, term, member, proofs));
    }
}
