package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterRecord.Member;
import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.consistency.membership.ClusterRecord.Turn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Decisions and records as bytes, for a log and its snapshots. Decisions are rare: this is for clarity, not for speed.
 *
 * <p>The first byte is the version of the format. Big endian, texts as {@link DataOutputStream#writeUTF} has them.
 */
public final class RecordCodec {
    private static final int VERSION = 2;

    private static final int COMPLETED = 1;
    private static final int LOST = 2;
    private static final int READMITTED = 3;
    private static final int ARRIVED = 4;
    private static final int LEFT = 5;
    private static final int VACATED = 6;
    private static final int SAVED = 7;
    private static final int FAILED = 8;
    private static final int CLOSED = 9;

    private RecordCodec() {}

    /** Writes or reads one thing. */
    private interface Step<T, R> {
        R on(T stream) throws IOException;
    }

    /**
     * Writes a decision.
     *
     * @param decision to write
     * @return its bytes
     */
    public static byte[] encode(Decision decision) {
        return written(out -> {
            write(out, decision);
            return null;
        });
    }

    /**
     * Reads a decision.
     *
     * @param bytes that {@link #encode(Decision)} has made
     * @return the decision
     * @throws IllegalArgumentException if they are of another version, or of none
     */
    public static Decision decision(byte[] bytes) {
        return read(bytes, RecordCodec::decision);
    }

    /**
     * Writes a record.
     *
     * @param record to write
     * @return its bytes
     */
    public static byte[] encode(ClusterRecord record) {
        return written(out -> {
            write(out, record.contents());
            return null;
        });
    }

    /**
     * Reads a record.
     *
     * @param bytes that {@link #encode(ClusterRecord)} has made
     * @return a record that goes on from there
     * @throws IllegalArgumentException if they are of another version, or of none
     */
    public static ClusterRecord record(byte[] bytes) {
        return ClusterRecord.of(read(bytes, RecordCodec::contents));
    }

    private static byte[] written(Step<DataOutputStream, Void> step) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            step.on(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a decision cannot be written: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    private static <R> R read(byte[] bytes, Step<DataInputStream, R> step) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (VERSION != version) {
                throw new IllegalArgumentException("what coordinators have written is of version " + version
                        + ", expected " + VERSION + ": run the same version of Sluice everywhere");
            }
            return step.on(in);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes are not what coordinators write: " + e.getMessage(), e);
        }
    }

    private static void write(DataOutputStream out, Decision decision) throws IOException {
        switch (decision) {
            case Decision.Completed all -> {
                out.writeByte(COMPLETED);
                write(out, all);
            }
            case Decision.Lost lost -> {
                out.writeByte(LOST);
                out.writeInt(lost.node());
                out.writeInt(lost.life());
                out.writeLong(lost.clock());
                out.writeUTF(lost.failure().name());
                out.writeUTF(lost.reason());
            }
            case Decision.Readmitted back -> {
                out.writeByte(READMITTED);
                out.writeInt(back.node());
                out.writeInt(back.life());
                write(out, back.seat());
                write(out, back.start());
            }
            case Decision.Arrived worker -> {
                out.writeByte(ARRIVED);
                out.writeInt(worker.node());
                write(out, worker.seat());
            }
            case Decision.Left left -> {
                out.writeByte(LEFT);
                out.writeInt(left.node());
                out.writeInt(left.life());
                out.writeLong(left.clock());
                out.writeBoolean(left.done());
            }
            case Decision.Vacated place -> {
                out.writeByte(VACATED);
                out.writeInt(place.node());
            }
            case Decision.Saved saved -> {
                out.writeByte(SAVED);
                write(out, saved);
            }
            case Decision.Failed end -> {
                out.writeByte(FAILED);
                write(out, end);
            }
            case Decision.Closed _ -> out.writeByte(CLOSED);
        }
    }

    private static Decision decision(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case COMPLETED -> completed(in);
            case LOST -> lost(in);
            case READMITTED -> new Decision.Readmitted(in.readInt(), in.readInt(), seat(in), start(in));
            case ARRIVED -> new Decision.Arrived(in.readInt(), seat(in));
            case LEFT -> new Decision.Left(in.readInt(), in.readInt(), in.readLong(), in.readBoolean());
            case VACATED -> new Decision.Vacated(in.readInt());
            case SAVED -> saved(in);
            case FAILED -> failed(in);
            case CLOSED -> new Decision.Closed();
            default -> throw new IllegalArgumentException("a decision of kind " + kind + ", expected 1 to " + CLOSED);
        };
    }

    private static void write(DataOutputStream out, Decision.Completed all) throws IOException {
        out.writeLong(all.clusterId());
        out.writeUTF(all.terms());
        out.writeUTF(all.declared());
        out.writeInt(all.servers());
        out.writeUTF(all.onDeath().name());
        write(out, all.start());
        out.writeInt(all.seats().size());
        for (Decision.Seat seat : all.seats()) {
            write(out, seat);
        }
    }

    private static Decision.Lost lost(DataInputStream in) throws IOException {
        return new Decision.Lost(
                in.readInt(), in.readInt(), in.readLong(), Failure.valueOf(in.readUTF()), in.readUTF());
    }

    private static Decision.Completed completed(DataInputStream in) throws IOException {
        long clusterId = in.readLong();
        String terms = in.readUTF();
        String declared = in.readUTF();
        int servers = in.readInt();
        DeathPolicy onDeath = DeathPolicy.valueOf(in.readUTF());
        StartPoint start = start(in);
        return new Decision.Completed(clusterId, terms, declared, servers, onDeath, start, list(in, RecordCodec::seat));
    }

    private static void write(DataOutputStream out, Decision.Seat seat) throws IOException {
        out.writeLong(seat.nonce());
        out.writeUTF(seat.endpoint());
        out.writeUTF(seat.host());
    }

    private static Decision.Seat seat(DataInputStream in) throws IOException {
        return new Decision.Seat(in.readLong(), in.readUTF(), in.readUTF());
    }

    private static void write(DataOutputStream out, StartPoint start) throws IOException {
        out.writeLong(start.run());
        out.writeLong(start.clock());
        out.writeLong(start.previous());
    }

    private static StartPoint start(DataInputStream in) throws IOException {
        return new StartPoint(in.readLong(), in.readLong(), in.readLong());
    }

    private static void write(DataOutputStream out, Decision.Saved saved) throws IOException {
        out.writeLong(saved.ordered());
        out.writeLong(saved.committed());
        out.writeLong(saved.previous());
    }

    private static Decision.Saved saved(DataInputStream in) throws IOException {
        return new Decision.Saved(in.readLong(), in.readLong(), in.readLong());
    }

    private static void write(DataOutputStream out, Decision.Failed end) throws IOException {
        out.writeUTF(end.failure().name());
        out.writeInt(end.subject());
        out.writeUTF(end.message());
    }

    private static Decision.Failed failed(DataInputStream in) throws IOException {
        return new Decision.Failed(Failure.valueOf(in.readUTF()), in.readInt(), in.readUTF());
    }

    private static void write(DataOutputStream out, ClusterRecord.Contents contents) throws IOException {
        out.writeBoolean(null != contents.completed());
        if (null != contents.completed()) {
            write(out, contents.completed());
        }
        out.writeInt(contents.members().size());
        for (Member member : contents.members()) {
            write(out, member.seat());
            out.writeInt(member.life());
            out.writeUTF(member.presence().name());
            out.writeLong(member.clock());
            write(out, member.start());
        }
        out.writeInt(contents.turns().size());
        for (Turn turn : contents.turns()) {
            out.writeInt(turn.node());
            out.writeBoolean(turn.lost());
            out.writeLong(turn.clock());
            write(out, turn.seat());
        }
        write(out, contents.saved());
        out.writeBoolean(null != contents.failure());
        if (null != contents.failure()) {
            write(out, contents.failure());
        }
        out.writeBoolean(contents.over());
        out.writeLong(contents.lastClock());
        out.writeBoolean(contents.closed());
    }

    private static ClusterRecord.Contents contents(DataInputStream in) throws IOException {
        return new ClusterRecord.Contents(
                in.readBoolean() ? completed(in) : null,
                list(in, RecordCodec::member),
                list(in, RecordCodec::turn),
                saved(in),
                in.readBoolean() ? failed(in) : null,
                in.readBoolean(),
                in.readLong(),
                in.readBoolean());
    }

    private static Member member(DataInputStream in) throws IOException {
        return new Member(seat(in), in.readInt(), Presence.valueOf(in.readUTF()), in.readLong(), start(in));
    }

    private static Turn turn(DataInputStream in) throws IOException {
        return new Turn(in.readInt(), in.readBoolean(), in.readLong(), seat(in));
    }

    private static <R> List<R> list(DataInputStream in, Step<DataInputStream, R> each) throws IOException {
        int size = in.readInt();
        List<R> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            all.add(each.on(in));
        }
        return all;
    }
}
