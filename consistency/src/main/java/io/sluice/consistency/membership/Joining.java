package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.consistency.node.SecretContext;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.api.Budget;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/** One attempt to join: it repeats the join until the coordinator answers, and waits for the welcome. */
final class Joining implements FrameHandler {
    /** Silence of the coordinator that is allowed before the welcome states the terms, to be multiplied by the load. */
    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(5);

    /** Silence after which another of several coordinators may lead. */
    private static final long DOUBTFUL_SILENCE_NS = SILENCE_NS / 2;

    /**
     * Time for which an answer without proof must be repeated before it counts. A coordinator repeats it as long as the
     * node asks: a refusal each time, a challenge every two seconds. An outsider's datagram arrives once.
     */
    private static final long DOUBT_NS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long REPEAT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** First interval between two attempts to ask while no link to a coordinator is connected; it doubles each time. */
    private static final long CONNECT_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ControlNetwork.Port inbox;
    private final LeaderTracker leaderTracker;
    private final HostLoad load;
    private final JoinRequest request;
    private final String host;
    private final long nonce = JoinProof.newNonce();
    private final ControlHandler control;

    /** Secret of the cluster; null if it has none. */
    private final JoinSecret secret;

    private final ControlMessages question = new ControlMessages();
    private int questionLength;
    private long startNs;
    private long nextAskNs;
    private long connectNs = CONNECT_NS;

    /** Whether an answer without proof refuses this node. */
    private boolean doubtful;

    /** Time at which such an answer first refused this node. */
    private long doubtNs;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ChallengeDecoder challenge = new ChallengeDecoder();
    private final LeadDecoder lead = new LeadDecoder();
    private boolean answered;
    private long unansweredNs;
    private long heardNs;
    private ClusterPlan plan;
    private int node;
    private ClusterState state;
    private ClusterException refusal;

    Joining(
            ControlNetwork.Port inbox,
            LeaderTracker leaderTracker,
            JoinRequest request,
            String host,
            ControlHandler control,
            JoinSecret secret,
            HostLoad load) {
        this.load = load;
        this.control = control;
        this.secret = secret;
        this.host = host;
        this.inbox = inbox;
        this.leaderTracker = leaderTracker;
        this.request = request;
    }

    int node() {
        return node;
    }

    /** Creates the seals of this node; null without a secret. */
    SenderSeals newSeals() {
        return null == secret ? null : secret.newSeals(plan, node, nonce);
    }

    /** The sealing of frames between this node and other nodes. */
    Sealing sealing(SenderSeals own, Supplier<ClusterState> cluster) {
        return plan.settings().seal() ? Sealing.of(secret.schedule(), plan, node, own, cluster) : Sealing.none();
    }

    /** The state of the cluster in the welcome; null before. */
    ClusterState state() {
        return state;
    }

    /**
     * Runs one cycle: handles an answer, and asks again when due.
     *
     * @return amount of work done
     * @throws ClusterException if the coordinator refuses, or a deadline passes
     */
    int work() {
        long nowNs = request.clock().nanoTime();
        if (0 == questionLength) {
            startNs = nowNs;
            unansweredNs = nowNs;
            begin(nowNs);
        }
        int work = inbox.poll(1);
        if (null != refusal) {
            throw refusal;
        }
        if (null != plan) {
            return work;
        }
        if (nowNs - nextAskNs >= 0) {
            boolean asked = leaderTracker.offer(question.buffer(), questionLength);
            connectNs = asked ? REPEAT_NS : Math.min(2 * connectNs, REPEAT_NS);
            nextAskNs = nowNs + connectNs;
        }
        checkDeadlines(nowNs, nowNs - startNs);
        return work;
    }

    /** The plan, once this node has been welcomed; null before. */
    ClusterPlan plan() {
        return plan;
    }

    /** Whether the coordinator has answered. */
    boolean isAnswered() {
        return answered;
    }

    /** Describes what this node waits for. */
    String awaited() {
        return answered
                ? "the cluster of the coordinator at " + request.where() + " to be complete"
                : "an answer from a coordinator at " + request.where();
    }

    /** Asks as a node that has proved nothing yet. */
    private void begin(long nowNs) {
        question.identify(0, 0);
        questionLength = question.join(
                request.role(),
                null != secret,
                request.index(),
                nonce,
                request.claims(),
                inbox.endpoint().toString(),
                host);
        nextAskNs = nowNs;
    }

    private void checkDeadlines(long nowNs, long waitedNs) {
        long answerNs = Math.min(request.answerNs(), request.completeNs());
        if (!answered && nowNs - unansweredNs > answerNs) {
            String asked = leaderTracker.isOfSeveral()
                    ? " s: are " + leaderTracker.majority()
                            + " of the coordinators running, so that one can lead, and are the addresses right?"
                    : " s: is the first server running, and is the address right?";
            throw new ClusterException(
                    Failure.TIMEOUT,
                    "no coordinator answered at " + request.where() + " within "
                            + TimeUnit.NANOSECONDS.toSeconds(answerNs) + asked);
        }
        if (answered && leaderTracker.isOfSeveral() && nowNs - heardNs > DOUBTFUL_SILENCE_NS * load.factor()) {
            answered = false; // another coordinator will lead: ask all again
            unansweredNs = nowNs;
            leaderTracker.lose();
            begin(nowNs);
        }
        long silenceNs = nowNs - heardNs;
        if (answered && silenceNs > SILENCE_NS * load.factor()) {
            throw new ClusterException(
                    Failure.PEER_LOST,
                    "the coordinator at " + request.where() + " has been silent for "
                            + TimeUnit.NANOSECONDS.toMillis(silenceNs) + " ms and is lost");
        }
        if (waitedNs > request.completeNs()) {
            throw new ClusterException(
                    Failure.TIMEOUT,
                    "the cluster at " + request.where()
                            + " was not complete within " + TimeUnit.NANOSECONDS.toSeconds(request.completeNs())
                            + " s: the coordinator answers, and names the nodes that it waits for in its output");
        }
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (Frame.origin(buffer, offset) != ControlIds.COORDINATOR) {
            inbox.reject(Rejection.UNKNOWN_ORIGIN);
            return Action.CONTINUE;
        }
        if (LeadDecoder.TEMPLATE_ID == templateId) {
            onLead(buffer, offset, length, session);
            return Action.CONTINUE;
        }
        if (ChallengeDecoder.TEMPLATE_ID == templateId) {
            onChallenge(buffer, offset, length, session);
            return Action.CONTINUE;
        }
        if (!leaderTracker.isFromLeader(session)) {
            inbox.reject(Rejection.UNEXPECTED); // this one of several coordinators does not lead
            return Action.CONTINUE;
        }
        if (null != secret && !control.isOpening()) {
            onUnproved(buffer, offset, length, templateId);
            return Action.CONTINUE;
        }
        if (isAnswer(buffer, offset, templateId)) {
            answered = true;
            heardNs = request.clock().nanoTime();
        } else {
            inbox.reject(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    /** Processes an answer from the coordinator; false if it is for another join, or is not an answer. */
    private boolean isAnswer(DirectBuffer buffer, int offset, int templateId) {
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID -> {
                return true;
            }
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
                if (error.nonce() != nonce) {
                    return false;
                }
                refusal = new ClusterException(
                        Failure.coded(error.code()), "refused by " + request.where() + ": " + error.message());
                return true;
            }
            case WelcomeDecoder.TEMPLATE_ID -> {
                WelcomeDecoder welcome = new WelcomeDecoder().wrapAndApplyHeader(buffer, offset, header);
                if (welcome.nonce() != nonce) {
                    return false;
                }
                accept(welcome, Frame.clusterId(buffer, offset));
                return true;
            }
            default -> {
                return false;
            }
        }
    }

    private void onLead(DirectBuffer buffer, int offset, int length, int session) {
        if (lead.wrapAndApplyHeader(buffer, offset, header).nonce() != nonce) {
            inbox.reject(Rejection.UNEXPECTED); // an answer to another join
        } else if (!leaderTracker.isOfSeveral() && (null == secret || secret.vouchesFor(buffer, offset, length))) {
            refusal = new ClusterException(
                    Failure.REFUSED,
                    "the cluster at " + request.where()
                            + " has several coordinators, and this node knows of one: name all of them, in their"
                            + " order");
        } else if (leaderTracker.follow(buffer, offset, length, session, nonce)) {
            answered = true;
            heardNs = request.clock().nanoTime();
            begin(heardNs); // restart the join: the last request may have been sent to another coordinator
        }
    }

    private void onChallenge(DirectBuffer buffer, int offset, int length, int session) {
        challenge.wrapAndApplyHeader(buffer, offset, header);
        boolean leads =
                null == secret ? leaderTracker.isFromLeader(session) : leaderTracker.leadsWith(challenge.coordinator());
        if (challenge.nonce() != nonce || !leads) {
            inbox.reject(Rejection.UNEXPECTED);
        } else if (null == secret) {
            refusal = new ClusterException(
                    Failure.REFUSED,
                    "the cluster at " + request.where()
                            + " has a secret, and this node has none: give it the same ("
                            + SecretContext.SECRET_FILE_PROPERTY + ")");
        } else if (secret.accepts(buffer, offset, length)) {
            meetChallenge(session);
        } else {
            inbox.reject(Rejection.BAD_PROOF);
            doubt("the coordinator at " + request.where()
                    + " has another secret than this node: compare the secret files of both hosts");
        }
    }

    private void meetChallenge(int session) {
        answered = leaderTracker.isFromLeader(session);
        heardNs = request.clock().nanoTime();
        doubtful = false;
        boolean opens = leaderTracker.isOfSeveral() || control.isOpening() && !secret.isOfAnotherCoordinator();
        if (!opens) {
            control.openWith(secret.newOpener(nonce), inbox::reject);
        }
        questionLength = secret.prove(question, request, nonce, inbox.endpoint().toString(), host);
        nextAskNs = heardNs;
    }

    /**
     * Handles an answer without proof, which any process could have sent. A refusal counts if it names this join and is
     * repeated.
     */
    private void onUnproved(DirectBuffer buffer, int offset, int length, int templateId) {
        if (SealTrailer.isPresent(buffer, offset, length)) {
            inbox.reject(Rejection.UNEXPECTED); // no coordinator can have sealed anything for this node yet
            return;
        }
        inbox.reject(Rejection.NOT_SEALED);
        if (ErrorDecoder.TEMPLATE_ID == templateId) {
            ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
            if (error.nonce() == nonce) {
                doubt("refused by " + request.where() + ": " + error.message());
            }
        }
    }

    /** Records a refusal without proof. Once the coordinator has proved itself, such a refusal is only counted. */
    private void doubt(String sentence) {
        long nowNs = request.clock().nanoTime();
        if (control.isOpening()) {
            return;
        }
        if (doubtful && nowNs - doubtNs > DOUBT_NS) {
            refusal = new ClusterException(Failure.REFUSED, sentence);
        } else if (!doubtful) {
            doubtful = true;
            doubtNs = nowNs;
        }
    }

    private void accept(WelcomeDecoder welcome, long clusterId) {
        node = welcome.node();
        try {
            String consistency = welcome.consistency(); // SBE texts must be read in order
            Map<String, TableTerms> tables = TableTerms.parse(welcome.tables());
            String placement = welcome.placement();
            String compressor = welcome.compressor();
            String order = welcome.order();
            String tree = welcome.tree();
            ClusterSettings settings =
                    settings(welcome, consistency, tables, placement, compressor, order, tree, welcome.topology());
            byte[] bytes = new byte[welcome.stateLength()];
            welcome.getState(bytes, 0, bytes.length);
            ClusterState sound = EventCodec.state(bytes);
            boolean isMember = sound.isComplete()
                    && node < sound.members().size()
                    && sound.member(node).seat().nonce() == nonce;
            if (!isMember
                    || clusterId != sound.job().clusterId()
                    || settings.serverPlaces() != sound.job().servers()) {
                throw new IllegalArgumentException("its state is not of a cluster in which this is node " + node);
            }
            if (settings.seal() && null == secret) {
                throw new IllegalArgumentException("frames are to be sealed, but the cluster has no secret");
            }
            Member self = sound.member(node);
            ClusterPlan welcomed = new ClusterPlan(clusterId, self.epoch(), settings, sound.places(), self.start());
            state = sound;
            plan = welcomed;
        } catch (IllegalArgumentException e) {
            refusal = new ClusterException(
                    Failure.PROTOCOL_BREACH,
                    "the plan sent by " + request.where() + " is unsound: " + e.getMessage(),
                    e);
        }
    }

    private static ClusterSettings settings(
            WelcomeDecoder welcome,
            String consistency,
            Map<String, TableTerms> tables,
            String placement,
            String compressor,
            String order,
            String tree,
            String topology) {
        return new ClusterSettings(
                welcome.servers(),
                welcome.workers(),
                welcome.places(),
                welcome.serverPlaces(),
                constant(Protocol.class, "protocol", welcome.protocol()),
                consistency,
                tables,
                compressor,
                constant(TransportKind.class, "transport", welcome.transport()),
                placement,
                welcome.heartbeatMs(),
                welcome.livenessMs(),
                welcome.linkRate(),
                order,
                tree,
                topology,
                new Budget(welcome.linkBudget(), welcome.linkBurst()),
                new Budget(welcome.nodeBudget(), welcome.nodeBurst()),
                constant(DeathPolicy.class, "on death", welcome.onDeath()),
                welcome.seal() != 0);
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String setting, int ordinal) {
        E[] values = type.getEnumConstants();
        if (ordinal < 0 || ordinal >= values.length) {
            throw new IllegalArgumentException(
                    setting + " has code " + ordinal + ", expected 0 to " + (values.length - 1));
        }
        return values[ordinal];
    }
}
