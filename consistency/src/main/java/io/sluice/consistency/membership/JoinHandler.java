package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.consistency.node.SecretContext;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Handles joins and proofs. It passes a node on to {@link Joins} once the node has proved that it knows the secret, if
 * there is one, and answers a node that may not join with the reason. Used by the coordinator's thread.
 */
final class JoinHandler {
    private static final int MAX_REFUSALS = 16;

    /** Maximum length of an endpoint, and of the name of a host, in characters. */
    private static final int LONGEST_NAME = 255;

    /**
     * Maximum number of links that may be opened at once to addresses that have proved nothing.
     */
    private static final int MOST_LINKS = 64;

    private static final long NEXT_LINK_NS = TimeUnit.SECONDS.toNanos(1) / 32;

    private final ControlNetwork network;
    private final Joins joins;
    private final Members members;
    private final ControlMessages messages;
    private final NanoClock clock;
    private final Consumer<Rejection> reject;
    private final long clusterId;
    private final Leadership leadership;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    /** Writes unsealed messages, for nodes without keys. */
    private final ControlMessages bare = new ControlMessages();

    private final List<Refusal> refusals = new ArrayList<>();

    /**
     * Challenges nodes to prove that they know the secret. Null without a secret: then each node that asks is a
     * candidate.
     */
    private final JoinAuthenticator authenticator;

    private boolean unprovedReported;

    /** Time at which the bound on links ceases to apply; each opened link defers it. */
    private long idleNs;

    /**
     * Starts to accept joins. With a secret the coordinator seals its messages from now on.
     *
     * @param network    opens links to nodes that ask
     * @param joins      decides on candidates
     * @param members    members of the cluster
     * @param messages   messages of the coordinator
     * @param reject     counts a frame that is dropped
     * @param clusterId  id of this run
     * @param schedule   schedule of the cluster's secret; null if it has none
     * @param leadership leadership of this coordinator, which nodes receive first if there are several
     */
    JoinHandler(
            ControlNetwork network,
            Joins joins,
            Members members,
            ControlMessages messages,
            Consumer<Rejection> reject,
            long clusterId,
            KeySchedule schedule,
            Leadership leadership) {
        this.network = network;
        this.joins = joins;
        this.members = members;
        this.messages = messages;
        this.clock = members.clock;
        this.reject = reject;
        this.clusterId = clusterId;
        this.leadership = leadership;
        this.idleNs = clock.nanoTime();
        bare.identify(clusterId, ControlIds.COORDINATOR);
        authenticator = null == schedule ? null : new JoinAuthenticator(schedule, clusterId, this::onUnproved);
        if (null != authenticator) {
            messages.sealForAddressees(authenticator.newSeal());
        }
    }

    /** Sends a node the announcement of the leader if there are several coordinators. */
    void announceLeader(NodeProxy candidate) {
        if (leadership.isOfSeveral()) {
            long nonce = null == authenticator ? 0 : authenticator.nonce();
            JoinProof proofs = null == authenticator ? null : authenticator.proofs();
            candidate.enqueue(bare, bare.lead(candidate.nonce, nonce, leadership.term(), leadership.member(), proofs));
        }
    }

    /** Creates the opener that decrypts sealed messages from admitted members; null if the cluster has no secret. */
    FrameOpener newOpener() {
        return null == authenticator ? null : authenticator.newOpener();
    }

    /**
     * Sends queued messages to nodes that have not been admitted. Closes the link of such a node two seconds after its
     * refusal, or after a challenge that it has not answered.
     */
    int work(long nowNs) {
        return flushRefusals(nowNs) + (null == authenticator ? 0 : authenticator.work(nowNs));
    }

    /** Sends queued refusals; returns whether all are sent. */
    boolean flush() {
        refusals.forEach(refusal -> refusal.candidate.flush());
        return refusals.stream().allMatch(refusal -> refusal.candidate.isFlushed());
    }

    void close() {
        refusals.forEach(refusal -> refusal.candidate.close());
        if (null != authenticator) {
            authenticator.close();
        }
    }

    /**
     * Handles a join. A join proves nothing: with a secret, the coordinator answers it with a challenge.
     *
     * @param join    join as the node sent it
     * @param version version of the protocol that the node speaks
     */
    void onJoin(JoinDecoder join, int version) {
        long nonce = join.nonce();
        int role = join.role() & ~ControlIds.HAS_SECRET;
        int index = join.index();
        String endpoint = join.endpoint(); // texts must be read in their order
        String host = join.host();
        Claims claims = Claims.of(join);
        String refusal = refusalOf(join.role(), index, version);
        boolean challenged = null != authenticator && null == refusal;
        NodeProxy known = joins.asking(nonce);
        if (null != known) {
            known.askedNs = challenged ? known.askedNs : clock.nanoTime(); // any process can send a join; see onProof
            if (known.isRefusedByDriver() && mayOpenLink()) {
                known.reopen();
            }
            askAgain(known, challenged);
            return;
        }
        boolean hasRoom = challenged
                ? !authenticator.isAsked(nonce) && authenticator.hasRoom(clock.nanoTime())
                : null == refusal ? joins.hasRoom(role, index) : refusals.size() < MAX_REFUSALS;
        NodeProxy candidate = hasRoom ? newCandidate(role, index, nonce, claims, endpoint, host) : null;
        if (null == candidate) {
            reject.accept(Rejection.UNEXPECTED);
        } else if (challenged) {
            authenticator.challenge(candidate, clock.nanoTime());
        } else {
            if (isMismatch(join.role(), version)) {
                reject.accept(Rejection.BAD_PROOF);
                reportOnce(
                        "a " + candidate.role.configName() + " at " + candidate.endpoint + " was refused: " + refusal);
            }
            decide(candidate, refusal, bare);
        }
    }

    /**
     * Answers a node that was admitted and asks again, because its welcome has not arrived, or because it has not
     * learned that it is lost.
     */
    private void askAgain(NodeProxy known, boolean challenged) {
        if (!members.awaitsWelcome(known)) {
            return;
        }
        if (!challenged) {
            members.welcomeAgain(known);
        } else if (!authenticator.isAsked(known.nonce) && authenticator.hasRoom(clock.nanoTime())) {
            authenticator.challenge(known, clock.nanoTime());
        }
    }

    /**
     * Creates a candidate of the sender of a join, with a link for the answer, and announces the leader to it. Null if
     * no link may be opened now.
     */
    private NodeProxy newCandidate(int role, int index, long nonce, Claims claims, String endpoint, String host) {
        if (endpoint.length() > LONGEST_NAME || host.length() > LONGEST_NAME || !mayOpenLink()) {
            return null;
        }
        NodeProxy candidate = NodeProxy.reachedBy(network, role, index, nonce, claims, endpoint, host);
        if (null != candidate) {
            announceLeader(candidate);
        }
        return candidate;
    }

    /**
     * Whether a link may be opened. Any process can send joins that name any addresses, so links are opened at a
     * bounded rate.
     */
    private boolean mayOpenLink() {
        long nowNs = clock.nanoTime();
        long fromNs = nowNs - idleNs > 0 ? nowNs : idleNs;
        boolean may = fromNs - nowNs <= (MOST_LINKS - 1) * NEXT_LINK_NS;
        idleNs = may ? fromNs + NEXT_LINK_NS : idleNs;
        return may;
    }

    /** The reason to refuse a join before any proof, or null. */
    private String refusalOf(int roleAndSecret, int index, int version) {
        if (isMismatch(roleAndSecret, version)) {
            return null == authenticator
                    ? "the node has a secret, and this cluster has none: give the first server the same secret, or the"
                            + " node none"
                    : "the node has no secret, and this cluster has one: give it the same ("
                            + SecretContext.SECRET_FILE_PROPERTY + ")";
        }
        int role = roleAndSecret & ~ControlIds.HAS_SECRET;
        return null == authenticator || Frame.SCHEMA_VERSION != version || role >= Role.values().length
                ? joins.refusalOf(role, index, version)
                : null; // Joins decides whether there is a place for it
    }

    private boolean isMismatch(int roleAndSecret, int version) {
        boolean hasSecret = (roleAndSecret & ControlIds.HAS_SECRET) != 0;
        return Frame.SCHEMA_VERSION == version && hasSecret != (null != authenticator);
    }

    /**
     * Handles the answer to a challenge.
     *
     * @param buffer buffer holding a valid frame
     * @param offset offset of its first byte
     * @param length length of the frame
     */
    void onProof(DirectBuffer buffer, int offset, int length) {
        if (null == authenticator) {
            reject.accept(Rejection.UNEXPECTED);
            return;
        }
        if (Frame.clusterId(buffer, offset) != clusterId || !authenticator.isGenuine(buffer, offset, length)) {
            reject.accept(Rejection.BAD_PROOF);
            reportOnce("a node has sent a proof that was not made with the cluster's secret");
            return;
        }
        ProofDecoder proof = new ProofDecoder().wrapAndApplyHeader(buffer, offset, header);
        NodeProxy known = joins.asking(proof.nonce());
        if (null != known) {
            known.askedNs = clock.nanoTime();
            if (members.awaitsWelcome(known) && known == authenticator.prove(buffer, offset)) {
                members.welcomeAgain(known);
            }
            return;
        }
        int role = proof.role();
        int index = proof.index();
        long nonce = proof.nonce();
        NodeProxy proved = authenticator.prove(buffer, offset);
        if (null != proved) {
            decide(proved, joins.refusalOf(role, index, Frame.version(buffer, offset)), messages);
        } else if (authenticator.isAsked(nonce) || !authenticator.hasRoom(clock.nanoTime())) {
            reject.accept(Rejection.REPLAYED); // the proof answers a challenge that was not sent, or not to this node
        } else { // the proof is late or repeated: challenge again
            String endpoint = proof.endpoint(); // texts must be read in their order
            String host = proof.host();
            NodeProxy again = newCandidate(role, index, nonce, Claims.of(proof), endpoint, host);
            if (null != again) {
                authenticator.challenge(again, clock.nanoTime());
            }
        }
    }

    private void decide(NodeProxy candidate, String refusal, ControlMessages answers) {
        if (null == refusal) {
            joins.ask(candidate, clock.nanoTime());
        } else {
            refuse(candidate, refusal, answers);
        }
    }

    /** Refuses a candidate that has proved that it knows the secret. */
    void refuse(NodeProxy candidate, String reason) {
        refuse(candidate, reason, messages);
    }

    private void refuse(NodeProxy candidate, String reason, ControlMessages answers) {
        int length = answers.error(Failure.REFUSED, candidate.nonce, ControlIds.COORDINATOR, reason);
        candidate.enqueue(answers, length);
        refusals.add(new Refusal(candidate, clock.nanoTime() + Refusal.PATIENCE_NS));
    }

    /** Reports only the first: a process without the secret may repeat its joins forever. */
    private void onUnproved(NodeProxy candidate) {
        reject.accept(Rejection.BAD_PROOF);
        reportOnce("a " + candidate.role.configName() + " at " + candidate.endpoint
                + " did not prove that it knows the cluster's secret, and is refused: it has another secret");
    }

    private void reportOnce(String sentence) {
        if (!unprovedReported) {
            unprovedReported = true;
            String more = "; further ones are counted, but not reported";
            network.onError(new ClusterException(Failure.REFUSED, sentence + more));
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

    /** A refused node, whose link stays open until the node had time to read the refusal. */
    private record Refusal(NodeProxy candidate, long deadlineNs) {
        static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
    }
}
