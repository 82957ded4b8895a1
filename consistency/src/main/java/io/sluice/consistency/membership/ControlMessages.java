package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.ChallengeEncoder;
import io.sluice.codecs.sbe.EnvelopeEncoder;
import io.sluice.codecs.sbe.ErrorEncoder;
import io.sluice.codecs.sbe.EventEncoder;
import io.sluice.codecs.sbe.HeartbeatEncoder;
import io.sluice.codecs.sbe.JoinEncoder;
import io.sluice.codecs.sbe.LeadEncoder;
import io.sluice.codecs.sbe.LeaveEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.ProofEncoder;
import io.sluice.codecs.sbe.SnapshotOutcomeEncoder;
import io.sluice.codecs.sbe.WelcomeEncoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes control messages, finished and ready to be sent, into one buffer that the next message overwrites. Each method
 * returns the length in bytes.
 *
 * <p>For one thread. Heartbeats allocate nothing but what a seal does.
 */
final class ControlMessages {
    private static final int MAX_TEXT = 1_000;

    private final MutableDirectBuffer buffer = new ExpandableArrayBuffer(512);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final HeartbeatEncoder heartbeat = new HeartbeatEncoder();
    private long clusterId;
    private int origin;
    private int epoch;
    private FrameSeal seal = FrameSeal.checksumOnly();

    /** Seal of messages that are sealed for each receiver separately; null if none are. */
    private FrameSeal addressing;

    /** Sets the seal of later messages; without one, they have only a checksum. */
    void sealWith(FrameSeal newSeal) {
        seal = newSeal;
    }

    /** Sets the seal for messages with a single receiver from now on, see {@link #addressed}. */
    void sealForAddressees(FrameSeal newSeal) {
        addressing = newSeal;
    }

    /**
     * Finishes the message that was written last for one receiver, if messages are sealed. The same message can be
     * finished for other receivers afterwards.
     *
     * @param joinNonce join nonce with which the receiver has joined
     * @param length    length of the message as written
     * @return length of the message to send
     */
    int addressed(long joinNonce, int length) {
        return null == addressing ? length : addressing.toAddressee(joinNonce).finish(buffer, 0, length);
    }

    /** Sets the sender of later messages; zeros until then. */
    void identify(long cluster, int node) {
        clusterId = cluster;
        origin = node;
    }

    /** Sets the epoch of later messages; 0 at first. */
    void enter(int newEpoch) {
        epoch = newEpoch;
    }

    MutableDirectBuffer buffer() {
        return buffer;
    }

    int join(Role role, boolean hasSecret, int index, long nonce, Claims claims, String endpoint, String host) {
        JoinEncoder join = new JoinEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(join.envelope());
        int code = role.ordinal() | (hasSecret ? ControlIds.HAS_SECRET : 0);
        join.role((short) code).index(index).nonce(nonce).run(claims.run());
        join.snapshot1(claims.clock(0)).snapshot2(claims.clock(1)).snapshot3(claims.clock(2));
        byte[] older = claims.older();
        join.endpoint(endpoint).host(host).putOlder(older, 0, older.length);
        return finish(join.encodedLength());
    }

    int challenge(long nonce, long coordinator, byte[] random, JoinProof proofs) {
        ChallengeEncoder challenge = new ChallengeEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(challenge.envelope());
        challenge.nonce(nonce).coordinator(coordinator).putChallenge(random, 0, random.length);
        challenge.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        int length = Frame.HEADER_LENGTH + challenge.encodedLength();
        proofs.finish(buffer, 0, length);
        return length;
    }

    /** Writes the announcement of one of several coordinators that it leads, with a proof if there is a secret. */
    int lead(long nonce, long coordinator, long term, int member, JoinProof proofs) {
        LeadEncoder lead = new LeadEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(lead.envelope());
        lead.nonce(nonce).coordinator(coordinator).term(term).member(member);
        if (null == proofs) {
            lead.putProof(new byte[0], 0, 0);
            return FrameSeal.checksumOnly().finish(buffer, 0, Frame.HEADER_LENGTH + lead.encodedLength());
        }
        lead.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        int length = Frame.HEADER_LENGTH + lead.encodedLength();
        proofs.finish(buffer, 0, length);
        return length;
    }

    int proof(
            JoinRequest request,
            long nonce,
            String endpoint,
            String host,
            long coordinator,
            byte[] challenge,
            JoinProof proofs) {
        ProofEncoder proof = new ProofEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(proof.envelope());
        proof.role((short) request.role().ordinal()).index(request.index()).nonce(nonce);
        Claims claims = request.claims();
        proof.run(claims.run())
                .snapshot1(claims.clock(0))
                .snapshot2(claims.clock(1))
                .snapshot3(claims.clock(2));
        proof.coordinator(coordinator).putChallenge(challenge, 0, challenge.length);
        byte[] older = claims.older();
        proof.endpoint(endpoint).host(host).putOlder(older, 0, older.length);
        proof.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        int length = Frame.HEADER_LENGTH + proof.encodedLength();
        proofs.finish(buffer, 0, length);
        return length;
    }

    /** Writes the terms and the cluster state for the node that has joined with a nonce. */
    int welcome(ClusterSettings settings, int node, long joinNonce, ClusterState state) {
        WelcomeEncoder welcome = new WelcomeEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(welcome.envelope());
        welcome.node(node)
                .nonce(joinNonce)
                .servers(settings.servers())
                .workers(settings.workers())
                .protocol((short) settings.protocol().ordinal())
                .transport((short) settings.transport().ordinal())
                .heartbeatMs(settings.heartbeatMs())
                .livenessMs(settings.livenessMs())
                .linkRate(settings.linkRate())
                .linkBudget(settings.linkBudget().rate())
                .linkBurst(settings.linkBudget().burst())
                .nodeBudget(settings.nodeBudget().rate())
                .nodeBurst(settings.nodeBudget().burst())
                .onDeath((short) settings.onDeath().ordinal())
                .seal((short) (settings.seal() ? 1 : 0))
                .places(settings.places())
                .serverPlaces(settings.serverPlaces());
        byte[] bytes = EventCodec.encode(state);
        welcome.consistency(settings.consistency())
                .tables(settings.tablesText())
                .placement(settings.placement())
                .compressor(settings.compressor())
                .order(settings.order())
                .tree(settings.tree())
                .topology(settings.topology())
                .putState(bytes, 0, bytes.length);
        return finish(welcome.encodedLength());
    }

    /** Writes the coordinator's heartbeat, with its number and that of the last event. */
    int heartbeat(long clock, long lastEvent, long beat) {
        return heartbeat(clock, false, lastEvent, beat, null, WorkerSetChanges.Answer.NONE, 0);
    }

    /**
     * Writes a node's heartbeat. It repeats all that the node reports, so a lost heartbeat loses nothing.
     *
     * @param clock   clock or version that the node has reached
     * @param pressed whether the node requests a snapshot because retained frames occupy more than half of their limit
     * @param applied number of the last event that it has applied
     * @param beat    highest beat of a coordinator that it has received
     * @param wish    requested change, or null
     * @param answer  answer to the last proposal
     * @param passed  clock of the last change that a server has passed
     */
    int heartbeat(
            long clock,
            boolean pressed,
            long applied,
            long beat,
            WorkerSetChanges.Wish wish,
            WorkerSetChanges.Answer answer,
            long passed) {
        heartbeat.wrapAndApplyHeader(buffer, 0, header);
        envelope(heartbeat.envelope());
        heartbeat.clock(clock).pressed((short) (pressed ? 1 : 0));
        heartbeat.applied(applied).wish((short) WorkerSetChanges.Wish.codeOf(wish));
        heartbeat.proposal(answer.proposal()).answer(answer.clock()).passed(passed);
        heartbeat.beat(beat);
        return finish(heartbeat.encodedLength());
    }

    /** Writes an event, for members that have applied all earlier events. */
    int event(long number, byte[] bytes) {
        EventEncoder event = new EventEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(event.envelope());
        event.number(number).putContent(bytes, 0, bytes.length);
        return finish(event.encodedLength());
    }

    /** Writes the sender's request to leave. */
    int leave(int node, long clock) {
        LeaveEncoder leave = new LeaveEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(leave.envelope());
        leave.node(node).clock(clock);
        return finish(leave.encodedLength());
    }

    /** Writes the outcome of a node's part of a snapshot, and the clock that the node has reached. */
    int snapshotOutcome(SnapshotNews.Outcome outcome, long reached) {
        SnapshotOutcomeEncoder message = new SnapshotOutcomeEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(message.envelope());
        message.clock(outcome.clock()).cost(outcome.costNs()).reached(reached);
        message.late((short) (outcome.late() ? 1 : 0)).reason(shortened(outcome.text()));
        return finish(message.encodedLength());
    }

    int error(Failure failure, long nonce, int subject, String text) {
        ErrorEncoder error = new ErrorEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(error.envelope());
        error.code(failure.ordinal()).nonce(nonce).subject(subject);
        error.message(shortened(text));
        return finish(error.encodedLength());
    }

    static String shortened(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    }

    private void envelope(EnvelopeEncoder envelope) {
        envelope.clusterId(clusterId).epoch(epoch).origin(origin);
    }

    private int finish(int bodyLength) {
        return seal.finish(buffer, 0, Frame.HEADER_LENGTH + bodyLength);
    }
}
