package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Where nodes ask to be let in: whoever may becomes a candidate, if need be after it has proved that it knows the
 * secret, and whoever may not is told why. Used by the coordinator's thread.
 */
final class Entrance {
    private static final int MAX_REFUSALS = 16;

    /** Characters of an endpoint, and of the name of a host. */
    private static final int LONGEST_NAME = 255;

    /** Links that may be opened at once to addresses that have proved nothing, and the pace of more. */
    private static final int MOST_LINKS = 64;

    private static final long NEXT_LINK_NS = TimeUnit.SECONDS.toNanos(1) / 32;

    private final Way way;
    private final long clusterId;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    /** For those who could not open what is sealed. */
    private final ControlMessages bare = new ControlMessages();

    private final List<Refusal> refusals = new ArrayList<>();

    /** Null without a secret: then whoever asks is a candidate. */
    private final Admission admission;

    private final Leading leading;
    private boolean unprovedTold;

    /** When the bound on links has no effect any more; each link that is opened puts that off. */
    private long idleNs;

    /**
     * Opens the entrance. With a secret the coordinator's messages are sealed from now on.
     *
     * @param way       in
     * @param clusterId this run
     * @param schedule  of the cluster's secret; null if it has none
     * @param leading   says first of all who leads
     */
    Entrance(Way way, long clusterId, KeySchedule schedule, Leading leading) {
        this.leading = leading;
        this.way = way;
        this.clusterId = clusterId;
        this.idleNs = way.clock.nanoTime();
        bare.identify(clusterId, ControlIds.COORDINATOR);
        admission = null == schedule ? null : new Admission(schedule, clusterId, this::onUnproved);
        if (null != admission) {
            way.messages.sealForAddressees(admission.newSeal());
            leading.proveWith(admission);
        }
    }

    /** What opens the messages of members, once they are admitted; null without a secret. */
    FrameOpener newOpener() {
        return null == admission ? null : admission.newOpener();
    }

    /** Sends what waits for those who are no members, and forgets who has had time enough. */
    int work(long nowNs) {
        return flushRefusals(nowNs) + (null == admission ? 0 : admission.work(nowNs));
    }

    /** Sends what those who were refused still have to be told, and says whether all have been. */
    boolean flush() {
        refusals.forEach(refusal -> refusal.candidate.flush());
        return refusals.stream().allMatch(refusal -> refusal.candidate.isTold());
    }

    void close() {
        refusals.forEach(refusal -> refusal.candidate.close());
        if (null != admission) {
            admission.close();
        }
    }

    /**
     * Takes a question. It proves nothing: with a secret, it is answered with a challenge.
     *
     * @param join    as the node sent it
     * @param version of the protocol that the node speaks
     */
    void onJoin(JoinDecoder join, int version) {
        long nonce = join.nonce();
        int role = join.role() & ~ControlIds.HAS_SECRET;
        int index = join.index();
        String endpoint = join.endpoint(); // texts must be read in their order
        String host = join.host();
        Claims claims = Claims.of(join);
        String refusal = refusalOf(join.role(), index, version);
        boolean challenged = null != admission && null == refusal;
        Candidate known = asking(nonce);
        if (null != known) {
            known.askedNs = challenged ? known.askedNs : way.clock.nanoTime(); // anybody could say so; see onProof
            if (known.isRefusedByDriver() && mayOpenLink()) {
                known.reopen();
            }
            askAgain(known, challenged);
            return;
        }
        boolean hasRoom = challenged
                ? !admission.isAsked(nonce) && admission.hasRoom(way.clock.nanoTime())
                : null == refusal ? way.returns.hasRoom() : refusals.size() < MAX_REFUSALS;
        Candidate candidate = hasRoom ? greeted(role, index, nonce, claims, endpoint, host) : null;
        if (null == candidate) {
            way.reject.accept(Rejection.UNEXPECTED);
        } else if (challenged) {
            admission.challenge(candidate, way.clock.nanoTime());
        } else {
            if (isMismatch(join.role(), version)) {
                way.reject.accept(Rejection.BAD_PROOF);
                tellOnce("a " + candidate.role.word() + " at " + candidate.endpoint + " was refused: " + refusal);
            }
            decide(candidate, refusal, bare);
        }
    }

    /** A node that was let in does not know it, or it would not ask. */
    private void askAgain(Candidate known, boolean challenged) {
        if (!way.nodes.awaitsWelcome(known)) {
            return;
        }
        if (!challenged) {
            way.nodes.welcomeAgain(known);
        } else if (!admission.isAsked(known.nonce) && admission.hasRoom(way.clock.nanoTime())) {
            admission.challenge(known, way.clock.nanoTime());
        }
    }

    /** The sender of a join with a link on which it can be answered; null if there may be none now. */
    private Candidate greeted(int role, int index, long nonce, Claims claims, String endpoint, String host) {
        if (endpoint.length() > LONGEST_NAME || host.length() > LONGEST_NAME || !mayOpenLink()) {
            return null;
        }
        Candidate candidate = Candidate.reachedBy(way.network, role, index, nonce, claims, endpoint, host);
        if (null != candidate) {
            leading.greet(candidate);
        }
        return candidate;
    }

    /** Any process can send joins that name any addresses, so links are opened at a bounded rate. */
    private boolean mayOpenLink() {
        long nowNs = way.clock.nanoTime();
        long fromNs = nowNs - idleNs > 0 ? nowNs : idleNs;
        boolean may = fromNs - nowNs <= (MOST_LINKS - 1) * NEXT_LINK_NS;
        idleNs = may ? fromNs + NEXT_LINK_NS : idleNs;
        return may;
    }

    /** Why a question is refused that nothing has been proved of, or null. */
    private String refusalOf(int roleAndSecret, int index, int version) {
        if (isMismatch(roleAndSecret, version)) {
            return null == admission
                    ? "the node has a secret, and this cluster has none: give the first server the same, or the node"
                            + " none"
                    : "the node has no secret, and this cluster has one: give it the same with --secret-file ("
                            + SecretContext.SECRET_FILE_PROPERTY + ")";
        }
        int role = roleAndSecret & ~ControlIds.HAS_SECRET;
        return null == admission || Frame.SCHEMA_VERSION != version || role >= Role.values().length
                ? way.roster.refusalOf(role, index, version)
                : null; // whether there is a place for it is for members to know
    }

    private boolean isMismatch(int roleAndSecret, int version) {
        boolean hasSecret = (roleAndSecret & ControlIds.HAS_SECRET) != 0;
        return Frame.SCHEMA_VERSION == version && hasSecret != (null != admission);
    }

    /**
     * Takes what is to meet a challenge.
     *
     * @param buffer holding a sound frame
     * @param offset of its first byte
     * @param length of the frame
     */
    void onProof(DirectBuffer buffer, int offset, int length) {
        if (null == admission) {
            way.reject.accept(Rejection.UNEXPECTED);
            return;
        }
        if (Frame.clusterId(buffer, offset) != clusterId || !admission.isGenuine(buffer, offset, length)) {
            way.reject.accept(Rejection.BAD_PROOF);
            tellOnce("somebody has sent a proof that was not made with the cluster's secret");
            return;
        }
        ProofDecoder proof = new ProofDecoder().wrapAndApplyHeader(buffer, offset, header);
        Candidate known = asking(proof.nonce());
        if (null != known) {
            known.askedNs = way.clock.nanoTime();
            if (way.nodes.awaitsWelcome(known) && known == admission.prove(buffer, offset)) {
                way.nodes.welcomeAgain(known);
            }
            return;
        }
        int role = proof.role();
        int index = proof.index();
        long nonce = proof.nonce();
        Candidate proved = admission.prove(buffer, offset);
        if (null != proved) {
            decide(proved, way.roster.refusalOf(role, index, Frame.version(buffer, offset)), way.messages);
        } else if (admission.isAsked(nonce) || !admission.hasRoom(way.clock.nanoTime())) {
            way.reject.accept(Rejection.REPLAYED); // it meets a challenge that was not put, or not to this node
        } else { // it took too long, or this was heard before: ask again
            String endpoint = proof.endpoint(); // texts must be read in their order
            String host = proof.host();
            Candidate again = greeted(role, index, nonce, Claims.of(proof), endpoint, host);
            if (null != again) {
                admission.challenge(again, way.clock.nanoTime());
            }
        }
    }

    /** Takes a candidate in, or tells it why not. */
    private void decide(Candidate candidate, String alreadyRefused, ControlMessages teller) {
        String refusal = null == alreadyRefused ? way.roster.misfitOf(candidate) : alreadyRefused;
        if (null != refusal) {
            refuse(candidate, refusal, teller);
        } else if (way.roster.awaitsReturns()) {
            candidate.askedNs = way.clock.nanoTime();
            way.returns.ask(candidate, candidate.askedNs);
        } else if (way.roster.takesNewcomers()) {
            candidate.askedNs = way.clock.nanoTime();
            way.newcomer.accept(candidate);
        } else {
            candidate.askedNs = way.clock.nanoTime();
            if (way.roster.hasPlace(candidate)) {
                add(candidate);
            } else {
                way.returns.ask(candidate, candidate.askedNs);
            }
        }
    }

    private void add(Candidate candidate) {
        way.roster.add(candidate);
        if (way.roster.isComplete()) {
            way.complete.run();
        }
    }

    /** Before all have joined: gives places of candidates that are silent to others, which wait for them. */
    void replaceSilent(long nowNs, long patienceNs) {
        way.roster.forgetSilent(nowNs, patienceNs);
        if (way.returns.asking().isEmpty()) {
            return;
        }
        way.returns.forgetSilent(nowNs);
        for (Candidate candidate : List.copyOf(way.returns.asking())) {
            if (way.roster.isAssigned()) {
                return;
            }
            boolean free = way.roster.hasPlace(candidate);
            if (free || way.roster.isTaken(candidate)) {
                way.returns.asking().remove(candidate);
                if (free) {
                    add(candidate);
                } else {
                    refuse(candidate, way.roster.takenFor(candidate.role, candidate.index));
                }
            }
        }
    }

    /** All have joined: a node that still waits for a place that is taken has nothing more to wait for. */
    void refuseWaiting() {
        if (!way.roster.awaitsReturns() && !way.roster.takesNewcomers()) {
            for (Candidate candidate : List.copyOf(way.returns.asking())) {
                way.returns.asking().remove(candidate);
                refuse(candidate, way.roster.takenFor(candidate.role, candidate.index));
            }
        }
    }

    /** Counts a frame that is dropped. */
    void reject(Rejection rejection) {
        way.reject.accept(rejection);
    }

    /** Tells all who wait for a place that there will be none. */
    void refuseAll(String reason) {
        for (Candidate candidate : List.copyOf(way.returns.asking())) {
            way.returns.asking().remove(candidate);
            refuse(candidate, reason);
        }
    }

    /** Tells a candidate that has proved all it had to that it may not come in. */
    void refuse(Candidate candidate, String reason) {
        refuse(candidate, reason, way.messages);
    }

    private void refuse(Candidate candidate, String reason, ControlMessages teller) {
        int length = teller.error(Failure.REFUSED, candidate.nonce, ControlIds.COORDINATOR, reason);
        candidate.tell(teller, length);
        refusals.add(new Refusal(candidate, way.clock.nanoTime() + Refusal.PATIENCE_NS));
    }

    private Candidate asking(long nonce) {
        Candidate candidate = way.roster.asking(nonce);
        return null == candidate ? way.returns.asking(nonce) : candidate;
    }

    /** Told once: whoever has no secret may ask for ever. */
    private void onUnproved(Candidate candidate) {
        way.reject.accept(Rejection.BAD_PROOF);
        tellOnce("a " + candidate.role.word() + " at " + candidate.endpoint
                + " did not prove that it knows the cluster's secret, and is not let in: it must have another");
    }

    private void tellOnce(String sentence) {
        if (!unprovedTold) {
            unprovedTold = true;
            String more = "; more of these are counted, but not told";
            way.network.onError(new ClusterException(Failure.REFUSED, sentence + more));
        }
    }

    private int flushRefusals(long nowNs) {
        int sent = 0;
        for (int i = refusals.size() - 1; i >= 0; i--) {
            Refusal refusal = refusals.get(i);
            sent += refusal.candidate.flush();
            if (nowNs - refusal.deadlineNs >= 0) {
                refusal.candidate.close();
                refusals.remove(i);
            }
        }
        return sent;
    }

    /**
     * What an entrance leads to.
     *
     * @param network   opens links to those who ask
     * @param roster    of candidates
     * @param returns   of nodes to a cluster that is complete
     * @param nodes     that have been let in
     * @param messages  of the coordinator
     * @param clock     monotonic time
     * @param reject    counts a frame that is dropped
     * @param complete  is run when the last node has come in
     * @param newcomer  takes a node that comes to a cluster that is complete
     */
    record Way(
            ControlNetwork network,
            Roster roster,
            Returns returns,
            Members nodes,
            ControlMessages messages,
            NanoClock clock,
            Consumer<Rejection> reject,
            Runnable complete,
            Consumer<Candidate> newcomer) {}

    /** A node that is told why it may not join; the link is kept open for as long as it may need to fetch the news. */
    private record Refusal(Candidate candidate, long deadlineNs) {
        static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
    }
}
