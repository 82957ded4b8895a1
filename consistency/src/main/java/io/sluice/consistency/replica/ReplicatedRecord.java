package io.sluice.consistency.replica;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.ElectionState;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusterCounters;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.logbuffer.Header;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventCodec;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.messaging.api.MessagingException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

/**
 * The record of a cluster at each coordinator: it applies decisions in the order of the log, and passes them to this
 * member's coordinator while that leads. All of this, the coordinator included, runs in the thread of the engine's
 * service, so nothing is shared.
 */
final class ReplicatedRecord implements ClusteredService {
    private static final long NO_TERM = -1;
    private static final int NO_NUMBER = -1;

    /** Header of a written record: the last term and number, and the number of bytes in {@link #pieces}. */
    private static final int PLACE = Long.BYTES + 2 * Integer.BYTES;

    /** Number of bytes shown of an unreadable message. */
    private static final int SHOWN = 64;

    private final int member;
    private final Term leads;
    private final int decisionsPerSnapshot;
    private EventLog events = new EventLog();
    private Cluster cluster;

    /** Term and number of the last decision: a repeated offer carries the number again. */
    private long lastTerm = NO_TERM;

    private int lastNumber = NO_NUMBER;

    /** The pieces of a decision so far. */
    private final ByteArrayOutputStream pieces = new ByteArrayOutputStream();

    /** Number of decisions applied since the record was written or read; set by the service's thread, read by any. */
    private volatile int decisions;

    /** Number of times that the record was written; set by the service's thread, read by any. */
    private volatile int snapshots;

    /** The term of a leadership that this member has received and not started yet; or {@link #NO_TERM}. */
    private long givenTerm = NO_TERM;

    /** Whether the job is over and needs no coordinator; set by the service's thread, read by any. */
    private volatile boolean closed;

    /** Whether this member has a leader or is the leader; set by the service's thread, read by any. */
    private volatile boolean led;

    /** Id of the engine's counter of elections; looked up again once that counter no longer exists. */
    private int electionCounter = CountersReader.NULL_COUNTER_ID;

    /** Why this member cannot continue; the first reason counts. Set by threads of the engine, read by any. */
    private volatile RuntimeException fault;

    /** The tasks of a member while it leads. */
    interface Term {
        /** Begins to lead, with the record so far. */
        void begin(EventLog events, long term);

        /** Applies a decided event. */
        void decided(Event event, long ofTerm, int number);

        /** Whether the member leads. */
        boolean isOpen();

        /** Runs one duty cycle while the member leads. */
        int work();

        /** Ceases to lead. */
        void end();
    }

    /**
     * Creates an empty record.
     *
     * @param member member index of this coordinator
     * @param leads  runs while this member leads
     * @param limits limits of the log that a start replays
     */
    ReplicatedRecord(int member, Term leads, LogLimits limits) {
        this.member = member;
        this.leads = leads;
        this.decisionsPerSnapshot = limits.decisions();
    }

    /** Whether the job is over. From any thread. */
    boolean isClosed() {
        return closed;
    }

    /** The record so far. Another thread reads all events that precede its read of {@link #decisions()}. */
    ClusterState state() {
        return events.state();
    }

    /** Number of decisions applied since the record was read or last written. From any thread. */
    int decisions() {
        return decisions;
    }

    /** Number of times that this member has written the record. From any thread. */
    int snapshots() {
        return snapshots;
    }

    /** Whether the members have a leader, as far as this one knew in its last duty cycle. From any thread. */
    boolean isLed() {
        return led;
    }

    /** Why this member cannot lead, or keep the record, and has to end; null if it can. From any thread. */
    RuntimeException fault() {
        return fault;
    }

    /** Records that a part of the engine has ended by itself. From any thread. */
    void onEngineEnd(String part) {
        setFault(new MessagingException("the " + part + " of the coordinators' engine has ended"));
    }

    private synchronized void setFault(RuntimeException reason) {
        fault = null == fault ? reason : fault;
    }

    @Override
    public void onStart(Cluster started, Image snapshot) {
        cluster = started;
        if (null == snapshot) {
            return;
        }
        try {
            restore(SnapshotPieces.read(snapshot, started.idleStrategy()));
        } catch (RuntimeException e) {
            setFault(new MessagingException("the record that a coordinator wrote down cannot be read: " + e, e));
            throw e;
        }
    }

    /** Continues from the bytes that {@link #written} has returned. */
    void restore(byte[] bytes) {
        ByteBuffer place = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        lastTerm = place.getLong();
        lastNumber = place.getInt();
        int begin = PLACE + place.getInt();
        pieces.write(bytes, PLACE, begin - PLACE);
        events = EventCodec.log(Arrays.copyOfRange(bytes, begin, bytes.length));
        closed = events.state().isClosed();
    }

    @Override
    public void onSessionOpen(ClientSession session, long timestamp) {
        // the timer event of a leader is applied when decided, not here
    }

    @Override
    public void onSessionClose(ClientSession session, long timestamp, CloseReason closeReason) {
        // not used
    }

    @Override
    public void onSessionMessage(
            ClientSession session, long timestamp, DirectBuffer buffer, int offset, int length, Header header) {
        if (null != fault) {
            return; // this member has missed a message, so later ones would make a different record
        }
        try {
            takeIn(buffer, offset, length);
        } catch (RuntimeException e) {
            setFault(new MessagingException(unreadable(buffer, offset, length, header) + e, e));
            leads.end();
        }
    }

    /**
     * Describes unreadable bytes. They may be a decision of a coordinator of a different version, so no member
     * continues.
     */
    private static String unreadable(DirectBuffer buffer, int offset, int length, Header header) {
        byte[] begin = new byte[Math.min(length, SHOWN)];
        buffer.getBytes(offset, begin);
        return "the coordinators' log has at position " + header.position() + " " + length + " bytes ("
                + HexFormat.ofDelimiter(" ").formatHex(begin) + (length > SHOWN ? " ..." : "")
                + ") that are not a readable decision, so nothing after them can be applied: ";
    }

    private void takeIn(DirectBuffer buffer, int offset, int length) {
        long term = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        int number = DecisionOffers.number(buffer, offset);
        if (term < lastTerm || term == lastTerm && number <= lastNumber) {
            return; // the decision was offered twice, or by a former leader
        }
        if (term > lastTerm) {
            pieces.reset(); // an earlier leader did not finish its event
        }
        lastTerm = term;
        lastNumber = number;
        byte[] piece = new byte[length - DecisionOffers.HEADER];
        buffer.getBytes(offset + DecisionOffers.HEADER, piece);
        pieces.writeBytes(piece);
        if (DecisionOffers.isContinued(buffer, offset)) {
            return;
        }
        Event event = EventCodec.event(pieces.toByteArray());
        pieces.reset();
        if (leads.isOpen()) {
            leads.decided(event, term, number);
        } else {
            events.apply(event);
        }
        closed = events.state().isClosed();
        decisions = decisions + 1; // one thread writes
    }

    @Override
    public void onTimerEvent(long correlationId, long timestamp) {
        throw new IllegalStateException("timer " + correlationId + " fired, but none was set");
    }

    @Override
    public void onTakeSnapshot(ExclusivePublication publication) {
        if (null != fault) {
            throw new AgentTerminationException(fault); // others may have applied decisions that this record lacks
        }
        SnapshotPieces.write(publication, written(), cluster.idleStrategy());
        decisions = 0;
        snapshots = snapshots + 1;
    }

    /** Writes the record in its present state, which may be between two pieces of a decision. */
    byte[] written() {
        byte[] bytes = EventCodec.encode(events);
        ByteBuffer placed =
                ByteBuffer.allocate(PLACE + pieces.size() + bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        placed.putLong(lastTerm).putInt(lastNumber).putInt(pieces.size());
        return placed.put(pieces.toByteArray()).put(bytes).array();
    }

    /**
     * Requests a snapshot of the record from Aeron Cluster; every coordinator writes it at the same position of the
     * replicated log.
     */
    private void orderSnapshot() {
        AtomicCounter control = ClusterControl.findControlToggle(
                cluster.aeron().countersReader(), cluster.context().clusterId());
        if (null != control) {
            ClusterControl.ToggleState.SNAPSHOT.toggle(control); // does nothing while a snapshot is in progress
        }
    }

    @Override
    public void onRoleChange(Cluster.Role newRole) {
        givenTerm = NO_TERM; // a new leader receives its term later; the value so far was read from the log
        if (Cluster.Role.LEADER != newRole) {
            leads.end();
        }
    }

    @Override
    public void onNewLeadershipTermEvent(
            long leadershipTermId,
            long logPosition,
            long timestamp,
            long termBaseLogPosition,
            int leaderMemberId,
            int logSessionId,
            TimeUnit timeUnit,
            int appVersion) {
        leads.end();
        givenTerm = leaderMemberId == member ? leadershipTermId : NO_TERM;
    }

    @Override
    public int doBackgroundWork(long nowNs) {
        led = seesLeader();
        if (null != fault) {
            return 0;
        }
        if (NO_TERM != givenTerm && Cluster.Role.LEADER == cluster.role()) {
            long term = givenTerm;
            givenTerm = NO_TERM;
            begin(term);
        }
        if (decisions >= decisionsPerSnapshot && Cluster.Role.LEADER == cluster.role()) {
            orderSnapshot();
        }
        return leads.isOpen() ? lead() : 0;
    }

    /**
     * Reads the engine's counter with the service's own client, whose memory exists as long as this thread runs, even
     * if the rest of the engine has ended.
     */
    private boolean seesLeader() {
        if (cluster.aeron().isClosed()) {
            return false;
        }
        CountersReader counters = cluster.aeron().countersReader();
        if (CountersReader.NULL_COUNTER_ID == electionCounter
                || CountersReader.RECORD_ALLOCATED != counters.getCounterState(electionCounter)) {
            electionCounter = ClusterCounters.find(
                    counters,
                    ConsensusModule.Configuration.ELECTION_STATE_TYPE_ID,
                    cluster.context().clusterId());
        }
        return CountersReader.NULL_COUNTER_ID != electionCounter
                && ElectionState.CLOSED.code() == counters.getCounterValue(electionCounter);
    }

    private int lead() {
        try {
            return leads.work();
        } catch (ClusterException e) {
            setFault(e);
            leads.end();
            return 0;
        }
    }

    /** Ends a member that cannot lead, so that another one can. */
    private void begin(long term) {
        try {
            leads.begin(events, term);
        } catch (RuntimeException e) {
            setFault(e);
        }
    }

    @Override
    public void onTerminate(Cluster terminated) {
        leads.end();
    }
}
