package io.sluice.codecs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.ChallengeEncoder;
import io.sluice.codecs.sbe.DeclarationEncoder;
import io.sluice.codecs.sbe.EnvelopeEncoder;
import io.sluice.codecs.sbe.ErrorEncoder;
import io.sluice.codecs.sbe.EventEncoder;
import io.sluice.codecs.sbe.HeartbeatEncoder;
import io.sluice.codecs.sbe.JoinEncoder;
import io.sluice.codecs.sbe.LeadEncoder;
import io.sluice.codecs.sbe.LeaveEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.ProofEncoder;
import io.sluice.codecs.sbe.PullEncoder;
import io.sluice.codecs.sbe.ResendEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.codecs.sbe.SnapshotOutcomeEncoder;
import io.sluice.codecs.sbe.WelcomeEncoder;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** A frame of every template without a payload, encoded by the generated encoders: those of docs/protocol.md. */
enum SampleFrame {
    ROUND_COMMIT,
    DECLARATION,
    PULL,
    JOIN,
    WELCOME,
    HEARTBEAT,
    LEAVE,
    ERROR,
    EVENT,
    RESEND,
    SNAPSHOT_OUTCOME,
    CHALLENGE,
    PROOF,
    LEAD;

    static final long CLUSTER = 0x1122334455667788L;
    static final long NONCE = 0x0102030405060708L;
    static final long COORDINATOR = 0x1112131415161718L;
    private static final long RUN = 0x0A0B0C0D;

    /** Clock 5, followed by terms. */
    private static final byte[] OLDER =
            "\5\0\0\0\0\0\0\0\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ffbatch=32\nclocks=9".getBytes(ISO_8859_1);

    /** A state and an event are bytes to this module: those of the golden frames. */
    private static final byte[] STATE = tail("WELCOME", 320);

    private static final byte[] AGREED = tail("EVENT", 18);

    private static final String[] COMMITTED = {
        "DENSE-F32-three", "BITMAP-F32-three", "INDEX-F32-three", "DELTA-F32-three"
    };

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    /** Encodes the frame with its checksum at the start of the buffer and returns its length. */
    int encode(FrameBuffer frame) {
        UnsafeBuffer buffer = frame.buffer();
        int length = switch (this) {
            case ROUND_COMMIT -> commit(buffer);
            case DECLARATION -> declaration(buffer);
            case PULL -> pull(buffer);
            case JOIN -> join(buffer);
            case WELCOME -> welcome(buffer);
            case HEARTBEAT -> heartbeat(buffer);
            case LEAVE -> leave(buffer);
            case ERROR -> error(buffer);
            case EVENT -> event(buffer);
            case SNAPSHOT_OUTCOME -> snapshotOutcome(buffer);
            case RESEND -> resend(buffer);
            case CHALLENGE -> challenge(buffer);
            case PROOF -> proof(buffer);
            case LEAD -> lead(buffer);
        };
        if (isProved()) {
            new JoinProof(keys()).finish(buffer, 0, length);
        } else {
            new FrameChecksum().write(buffer, 0, length);
        }
        return length;
    }

    /** Whether the frame ends in a proof, and is never sealed. */
    boolean isProved() {
        return this == CHALLENGE || this == PROOF || this == LEAD;
    }

    /** The keys of a cluster with the secret 1, 2, ... 32. */
    static KeySchedule keys() {
        return new KeySchedule(ClusterSecret.of(ascending(1)));
    }

    private static byte[] tail(String golden, int length) {
        byte[] bytes = GoldenFrame.named(golden).bytes();
        return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
    }

    private static byte[] ascending(int first) {
        byte[] bytes = new byte[JoinProof.LENGTH];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (first + i);
        }
        return bytes;
    }

    static DataHeader dataHeader() {
        return new DataHeader()
                .clusterId(CLUSTER)
                .epoch(3)
                .origin(2)
                .table(7)
                .slice(9)
                .clock(11)
                .sequence(13);
    }

    private static void fill(EnvelopeEncoder envelope) {
        envelope.clusterId(CLUSTER).epoch(3).origin(2);
    }

    private int commit(UnsafeBuffer buffer) {
        RoundCommitEncoder commit = new RoundCommitEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(commit.envelope());
        commit.table(7).frames(COMMITTED.length).clock(11).digest(digest()).route(2);
        return commit.limit();
    }

    private static int digest() {
        ClockDigest digest = new ClockDigest();
        for (String name : COMMITTED) {
            digest.add(Frame.checksum(new UnsafeBuffer(GoldenFrame.named(name).bytes()), 0));
        }
        return digest.value();
    }

    private int declaration(UnsafeBuffer buffer) {
        DeclarationEncoder declaration = new DeclarationEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(declaration.envelope());
        declaration
                .table(7)
                .rows(784)
                .columns(10)
                .sliceElements(4096)
                .tables(2)
                .trees(0xDEADBEE5)
                .consumed((short) 1)
                .digest(0x01020304)
                .name("weights");
        return declaration.limit();
    }

    private int pull(UnsafeBuffer buffer) {
        PullEncoder pull = new PullEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(pull.envelope());
        pull.table(7).clock(11);
        return pull.limit();
    }

    private int resend(UnsafeBuffer buffer) {
        ResendEncoder resend = new ResendEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(resend.envelope());
        resend.table(7).clock(11).sequence(13).relay((short) 1).route(2);
        return resend.limit();
    }

    private int join(UnsafeBuffer buffer) {
        JoinEncoder join = new JoinEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(join.envelope());
        join.role((short) 1).index(-1).nonce(NONCE).run(RUN);
        join.snapshot1(30).snapshot2(20).snapshot3(10);
        join.endpoint("10.0.0.2:40100").host("host-b").putOlder(OLDER, 0, OLDER.length);
        return join.limit();
    }

    private int welcome(UnsafeBuffer buffer) {
        WelcomeEncoder welcome = new WelcomeEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(welcome.envelope());
        welcome.node(2).nonce(NONCE).servers(1).workers(1);
        welcome.protocol((short) 1).transport((short) 1);
        welcome.heartbeatMs(500)
                .livenessMs(2000)
                .linkRate(200_000_000)
                .linkBudget(100_000_000)
                .linkBurst(262_144)
                .nodeBudget(0)
                .nodeBurst(0)
                .onDeath((short) 1)
                .seal((short) 1)
                .places(2)
                .serverPlaces(1);
        welcome.consistency("ssp:3")
                .tables("*\tdvf:0.01\tnone\tadam:0.1\tbf16\t16384\n")
                .placement("uniform")
                .compressor("snappy")
                .order("layer")
                .tree("rotated:2")
                .topology("t 0.0;a - -;e - -;h 125 125 h")
                .putState(STATE, 0, STATE.length);
        return welcome.limit();
    }

    private int heartbeat(UnsafeBuffer buffer) {
        HeartbeatEncoder heartbeat = new HeartbeatEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(heartbeat.envelope());
        heartbeat.clock(11).pressed((short) 1).applied(19);
        heartbeat.wish((short) 2).proposal(18).answer(13).passed(7).beat(17);
        return heartbeat.limit();
    }

    private int leave(UnsafeBuffer buffer) {
        LeaveEncoder leave = new LeaveEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(leave.envelope());
        leave.node(2).clock(11);
        return leave.limit();
    }

    private int error(UnsafeBuffer buffer) {
        ErrorEncoder error = new ErrorEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(error.envelope());
        byte[] message = "r\u00f4le taken".getBytes(UTF_8);
        error.code(6).nonce(NONCE).subject(2).putMessage(message, 0, message.length);
        return error.limit();
    }

    private int event(UnsafeBuffer buffer) {
        EventEncoder event = new EventEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(event.envelope());
        event.number(19).putContent(AGREED, 0, AGREED.length);
        return event.limit();
    }

    private int snapshotOutcome(UnsafeBuffer buffer) {
        SnapshotOutcomeEncoder outcome = new SnapshotOutcomeEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(outcome.envelope());
        outcome.clock(40).cost(0).reached(41).late((short) 1).reason("too late");
        return outcome.limit();
    }

    private int challenge(UnsafeBuffer buffer) {
        ChallengeEncoder challenge = new ChallengeEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(challenge.envelope());
        challenge.nonce(NONCE).coordinator(COORDINATOR).putChallenge(ascending(64), 0, JoinProof.LENGTH);
        challenge.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        return challenge.limit();
    }

    private int proof(UnsafeBuffer buffer) {
        ProofEncoder proof = new ProofEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(proof.envelope());
        proof.role((short) 1).index(-1).nonce(NONCE).coordinator(COORDINATOR);
        proof.run(RUN).snapshot1(30).snapshot2(20).snapshot3(10);
        proof.putChallenge(ascending(64), 0, JoinProof.LENGTH);
        proof.endpoint("10.0.0.2:40100").host("host-b").putOlder(OLDER, 0, OLDER.length);
        proof.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        return proof.limit();
    }

    private int lead(UnsafeBuffer buffer) {
        LeadEncoder lead = new LeadEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(lead.envelope());
        lead.nonce(NONCE).coordinator(COORDINATOR).term(9).member(2);
        lead.putProof(JoinProof.none(), 0, JoinProof.LENGTH);
        return lead.limit();
    }
}
