package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Demotion;
import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.membership.ClusterState.ViewChange;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.tree.Place;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes events and states as bytes, for frames, for the coordinators' log and for its snapshots. Events are rare, so
 * the code favours clarity over speed. {@code docs/protocol.md} has the layout.
 *
 * <p>The first byte is the version of the format. Big endian, texts as {@link DataOutputStream#writeUTF} writes them.
 */
public final class EventCodec {
    private static final int VERSION = 4;

    /** Bound on the number of nodes, changes or events; a greater length is an error. */
    private static final int MOST = 1 << 20;

    /** Node ids have 16 bits. */
    private static final int MOST_NODES = 1 << Short.SIZE;

    private static final int COMPLETED = 1;
    private static final int LOST = 2;
    private static final int REJOINED = 3;
    private static final int ARRIVED = 4;
    private static final int LEFT = 5;
    private static final int RELEASED = 6;
    private static final int PROPOSED = 7;
    private static final int AGREED = 8;
    private static final int PASSED = 9;
    private static final int SAVED = 10;
    private static final int FAILED = 11;
    private static final int CLOSED = 12;
    private static final int DEMOTED = 13;

    private EventCodec() {}

    /** Writes or reads one value. */
    private interface Step<T, R> {
        R on(T stream) throws IOException;
    }

    /**
     * Writes an event.
     *
     * @param event event to write
     * @return the encoded bytes
     */
    public static byte[] encode(Event event) {
        return written(out -> {
            write(out, event);
            return null;
        });
    }

    /**
     * Reads an event.
     *
     * @param bytes bytes that {@link #encode(Event)} has made
     * @return the event
     * @throws IllegalArgumentException if the bytes are of a different version, or no event
     */
    public static Event event(byte[] bytes) {
        return read(bytes, EventCodec::event);
    }

    /**
     * Writes a state.
     *
     * @param state state to write
     * @return the encoded bytes
     */
    public static byte[] encode(ClusterState state) {
        return written(out -> {
            write(out, state);
            return null;
        });
    }

    /**
     * Reads a state.
     *
     * @param bytes bytes that {@link #encode(ClusterState)} has made
     * @return the state
     * @throws IllegalArgumentException if the bytes are of a different version, or no state
     */
    public static ClusterState state(byte[] bytes) {
        return read(bytes, EventCodec::state);
    }

    /**
     * Writes a log: the state and the retained events that led to it.
     *
     * @param log log to write
     * @return the encoded bytes
     */
    public static byte[] encode(EventLog log) {
        return written(out -> {
            ClusterState state = log.state();
            write(out, state);
            List<Event> kept = new ArrayList<>();
            for (long number = Math.max(0, state.number() - EventLog.KEPT) + 1; number <= state.number(); number++) {
                Event event = log.event(number);
                if (null == event || event instanceof Event.Completed) {
                    continue; // the first event is part of the welcome
                }
                kept.add(event);
            }
            out.writeInt(kept.size());
            for (Event event : kept) {
                write(out, event);
            }
            return null;
        });
    }

    /**
     * Reads a log.
     *
     * @param bytes bytes that {@link #encode(EventLog)} has made
     * @return a log that continues after the last event
     * @throws IllegalArgumentException if the bytes are of a different version, or are not a log
     */
    public static EventLog log(byte[] bytes) {
        return read(
                bytes, in -> new EventLog(state(in), list(in, EventCodec::event).toArray(Event[]::new)));
    }

    private static byte[] written(Step<DataOutputStream, Void> step) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            step.on(out);
        } catch (IOException e) {
            throw new UncheckedIOException("an event, state or log cannot be encoded: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    private static <R> R read(byte[] bytes, Step<DataInputStream, R> step) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (VERSION != version) {
                throw new IllegalArgumentException("events are written in version " + version + " of their format,"
                        + " expected " + VERSION + ": run the same version of Sluice everywhere");
            }
            R read = step.on(in);
            if (in.available() > 0) {
                throw new IllegalArgumentException(in.available() + " of " + bytes.length + " bytes are left over");
            }
            return read;
        } catch (IOException e) {
            throw new IllegalArgumentException(bytes.length + " bytes hold no event: " + e.getMessage(), e);
        }
    }

    private static void write(DataOutputStream out, Event event) throws IOException {
        switch (event) {
            case Event.Completed all -> {
                out.writeByte(COMPLETED);
                write(out, all.job());
                writeAll(out, all.seats(), EventCodec::write);
                write(out, all.before());
            }
            case Event.Lost lost -> {
                out.writeByte(LOST);
                write(out, lost.node());
                out.writeLong(lost.clock());
                out.writeUTF(lost.failure().name());
                out.writeUTF(lost.reason());
            }
            case Event.Rejoined back -> {
                out.writeByte(REJOINED);
                write(out, back.before());
                write(out, back.seat());
                write(out, back.start());
            }
            case Event.Arrived newcomer -> {
                out.writeByte(ARRIVED);
                out.writeInt(newcomer.place());
                write(out, newcomer.seat());
            }
            case Event.Left left -> {
                out.writeByte(LEFT);
                write(out, left.node());
                out.writeLong(left.clock());
            }
            case Event.Released released -> {
                out.writeByte(RELEASED);
                write(out, released.node());
            }
            case Event.Proposed wish -> {
                out.writeByte(PROPOSED);
                write(out, wish.node());
                out.writeBoolean(wish.joins());
            }
            case Event.Agreed agreed -> {
                out.writeByte(AGREED);
                out.writeLong(agreed.proposal());
                out.writeLong(agreed.clock());
            }
            case Event.Passed passed -> {
                out.writeByte(PASSED);
                write(out, passed.server());
                out.writeLong(passed.clock());
            }
            case Event.Saved saved -> {
                out.writeByte(SAVED);
                write(out, saved);
            }
            case Event.Failed end -> {
                out.writeByte(FAILED);
                write(out, end);
            }
            case Event.Closed _ -> out.writeByte(CLOSED);
            case Event.Demoted demoted -> {
                out.writeByte(DEMOTED);
                write(out, demoted.node());
            }
        }
    }

    private static Event event(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case COMPLETED -> new Event.Completed(job(in), list(in, EventCodec::seat), workerSets(in));
            case LOST -> new Event.Lost(incarnation(in), in.readLong(), Failure.valueOf(in.readUTF()), in.readUTF());
            case REJOINED -> new Event.Rejoined(incarnation(in), seat(in), start(in));
            case ARRIVED -> new Event.Arrived(in.readInt(), seat(in));
            case LEFT -> new Event.Left(incarnation(in), in.readLong());
            case RELEASED -> new Event.Released(incarnation(in));
            case PROPOSED -> new Event.Proposed(incarnation(in), in.readBoolean());
            case AGREED -> new Event.Agreed(in.readLong(), in.readLong());
            case PASSED -> new Event.Passed(incarnation(in), in.readLong());
            case SAVED -> saved(in);
            case FAILED -> failed(in);
            case CLOSED -> new Event.Closed();
            case DEMOTED -> new Event.Demoted(incarnation(in));
            default -> throw new IllegalArgumentException("an event has kind " + kind + ", expected 1 to " + DEMOTED);
        };
    }

    private static void write(DataOutputStream out, Incarnation node) throws IOException {
        out.writeInt(node.node());
        out.writeInt(node.epoch());
    }

    private static Incarnation incarnation(DataInputStream in) throws IOException {
        return new Incarnation(in.readInt(), in.readInt());
    }

    private static void write(DataOutputStream out, Event.Job job) throws IOException {
        out.writeLong(job.clusterId());
        out.writeUTF(job.terms());
        out.writeUTF(job.declared());
        out.writeInt(job.servers());
        out.writeUTF(job.onDeath().name());
        write(out, job.start());
    }

    private static Event.Job job(DataInputStream in) throws IOException {
        return new Event.Job(
                in.readLong(), in.readUTF(), in.readUTF(), in.readInt(), DeathPolicy.valueOf(in.readUTF()), start(in));
    }

    private static void write(DataOutputStream out, Event.Seat seat) throws IOException {
        out.writeLong(seat.nonce());
        out.writeUTF(seat.endpoint());
        out.writeUTF(seat.host());
    }

    private static Event.Seat seat(DataInputStream in) throws IOException {
        return new Event.Seat(in.readLong(), in.readUTF(), in.readUTF());
    }

    private static void write(DataOutputStream out, StartPoint start) throws IOException {
        out.writeLong(start.run());
        out.writeLong(start.clock());
        out.writeLong(start.previous());
    }

    private static StartPoint start(DataInputStream in) throws IOException {
        return new StartPoint(in.readLong(), in.readLong(), in.readLong());
    }

    private static void write(DataOutputStream out, Event.Saved saved) throws IOException {
        out.writeLong(saved.ordered());
        out.writeLong(saved.committed());
        out.writeLong(saved.previous());
    }

    private static Event.Saved saved(DataInputStream in) throws IOException {
        return new Event.Saved(in.readLong(), in.readLong(), in.readLong());
    }

    private static void write(DataOutputStream out, Event.Failed end) throws IOException {
        out.writeUTF(end.failure().name());
        out.writeInt(end.subject());
        out.writeUTF(end.message());
    }

    private static Event.Failed failed(DataInputStream in) throws IOException {
        return new Event.Failed(Failure.valueOf(in.readUTF()), in.readInt(), in.readUTF());
    }

    private static void write(DataOutputStream out, ClusterState state) throws IOException {
        out.writeLong(state.number());
        out.writeBoolean(state.isComplete());
        if (state.isComplete()) {
            write(out, state.job());
            writeAll(out, state.members(), EventCodec::write);
            writeAll(out, state.viewChanges(), (stream, viewChange) -> {
                stream.writeInt(viewChange.node());
                stream.writeBoolean(viewChange.lost());
            });
            writeAll(out, state.demotions(), (stream, demotion) -> {
                write(stream, demotion.node());
                stream.writeInt(demotion.epoch());
                stream.writeInt(demotion.changes());
            });
            write(out, state.workerSets());
            Proposal open = state.proposal();
            out.writeBoolean(null != open);
            if (null != open) {
                out.writeLong(open.number());
                write(out, open.node());
                out.writeBoolean(open.joins());
            }
            write(out, state.saved());
            out.writeBoolean(null != state.failure());
            if (null != state.failure()) {
                write(out, state.failure());
            }
            out.writeBoolean(state.isOver());
            out.writeLong(state.finalClock());
        }
        out.writeBoolean(state.isClosed());
    }

    private static ClusterState state(DataInputStream in) throws IOException {
        long number = in.readLong();
        if (!in.readBoolean()) {
            return in.readBoolean() ? ClusterState.EMPTY.apply(new Event.Closed()) : ClusterState.EMPTY;
        }
        Event.Job job = job(in);
        List<Member> members = list(in, EventCodec::member);
        require(job.servers() > 0 && job.servers() < members.size(), job.servers() + " servers", members.size());
        List<ViewChange> viewChanges = list(in, stream -> new ViewChange(stream.readInt(), stream.readBoolean()));
        for (ViewChange viewChange : viewChanges) {
            require(
                    viewChange.node() >= 0 && viewChange.node() < members.size(),
                    "node " + viewChange.node(),
                    members.size());
        }
        List<Demotion> demotions =
                list(in, stream -> new Demotion(incarnation(stream), stream.readInt(), stream.readInt()));
        for (Demotion demotion : demotions) {
            int node = demotion.node().node();
            require(node >= job.servers() && node < members.size(), "a demoted node " + node, members.size());
        }
        WorkerSetHistory workerSets = workerSets(in);
        Proposal proposal = in.readBoolean() ? new Proposal(in.readLong(), incarnation(in), in.readBoolean()) : null;
        if (null != proposal) {
            int node = proposal.node().node();
            require(node >= 0 && node < members.size(), "node " + node, members.size());
        }
        return new ClusterState(
                number,
                job,
                members,
                viewChanges,
                demotions,
                workerSets,
                proposal,
                saved(in),
                in.readBoolean() ? failed(in) : null,
                in.readBoolean(),
                in.readLong(),
                in.readBoolean());
    }

    private static void require(boolean valid, String what, int places) {
        if (!valid) {
            throw new IllegalArgumentException("a state of " + places + " places has " + what);
        }
    }

    private static void write(DataOutputStream out, Member member) throws IOException {
        write(out, member.seat());
        out.writeUTF(member.home());
        out.writeInt(member.epoch());
        out.writeByte(member.presence().ordinal());
        out.writeLong(member.clock());
        write(out, member.start());
        out.writeLong(member.passed());
    }

    private static Member member(DataInputStream in) throws IOException {
        return new Member(
                seat(in),
                in.readUTF(),
                in.readInt(),
                coded(Presence.values(), in.readUnsignedByte()),
                in.readLong(),
                start(in),
                in.readLong());
    }

    private static void write(DataOutputStream out, WorkerSetChange change) throws IOException {
        out.writeLong(change.clock());
        out.writeByte(change.role().ordinal());
        out.writeInt(change.index());
        out.writeBoolean(change.joins());
        out.writeInt(change.place().node());
        out.writeUTF(change.place().host());
        out.writeUTF(change.place().endpoint());
    }

    private static void write(DataOutputStream out, WorkerSetHistory workerSets) throws IOException {
        out.writeInt(firstServers(workerSets));
        out.writeInt(workerSets.all().getFirst().size());
        writeAll(out, workerSets.changes().subList(0, workerSets.earlier()), EventCodec::write);
        writeAll(
                out,
                workerSets
                        .changes()
                        .subList(workerSets.earlier(), workerSets.changes().size()),
                EventCodec::write);
    }

    private static WorkerSetHistory workerSets(DataInputStream in) throws IOException {
        WorkerSetHistory workerSets = with(WorkerSetHistory.of(nodes(in), nodes(in)), list(in, EventCodec::change));
        return with(workerSets.restored(), list(in, EventCodec::change));
    }

    private static WorkerSetHistory with(WorkerSetHistory before, List<WorkerSetChange> changes) {
        WorkerSetHistory workerSets = before;
        for (WorkerSetChange change : changes) {
            workerSets = workerSets.with(change);
        }
        return workerSets;
    }

    private static int nodes(DataInputStream in) throws IOException {
        int nodes = in.readInt();
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("a worker set of " + nodes + ", expected 1 to " + MOST_NODES);
        }
        return nodes;
    }

    private static int firstServers(WorkerSetHistory workerSets) {
        int servers = workerSets.owners().size();
        for (WorkerSetChange change : workerSets.serverChanges()) {
            servers += change.joins() ? -1 : 1;
        }
        return servers;
    }

    private static WorkerSetChange change(DataInputStream in) throws IOException {
        return new WorkerSetChange(
                in.readLong(),
                coded(Role.values(), in.readUnsignedByte()),
                in.readInt(),
                in.readBoolean(),
                new Place(in.readInt(), in.readUTF(), in.readUTF()));
    }

    private static <E> E coded(E[] values, int code) {
        if (code >= values.length) {
            throw new IllegalArgumentException("a code of " + code + ", expected 0 to " + (values.length - 1));
        }
        return values[code];
    }

    /** Writes one item of a list. */
    private interface Writer<T> {
        void write(DataOutputStream out, T each) throws IOException;
    }

    private static <T> void writeAll(DataOutputStream out, List<T> all, Writer<T> writer) throws IOException {
        out.writeInt(all.size());
        for (T each : all) {
            writer.write(out, each);
        }
    }

    private static <R> List<R> list(DataInputStream in, Step<DataInputStream, R> each) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > MOST) {
            throw new IllegalArgumentException("a list of " + size + ", expected 0 to " + MOST);
        }
        List<R> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            all.add(each.on(in));
        }
        return all;
    }
}
