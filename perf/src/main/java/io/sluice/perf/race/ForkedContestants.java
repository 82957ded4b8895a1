package io.sluice.perf.race;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.List;

/** The main class of a JVM for the contestants of one group: see {@link ForkedLane}. */
public final class ForkedContestants {
    /** Followed by the place of the contestant to warm up, int. */
    static final byte WARM_UP = 1;

    /** Followed by the place of the contestant whose turn it is, int. */
    static final byte TURN = 2;

    private static final Turn NOTHING = new Turn(0, 0, 0, 0, 0);

    private ForkedContestants() {}

    /**
     * Reads entries and pace from standard input, and answers every command with a turn, until the input ends.
     *
     * @param args none
     * @throws IOException if the parent is gone
     * @throws ClassNotFoundException if parent and child are not of one build
     */
    public static void main(String[] args) throws IOException, ClassNotFoundException {
        DataOutputStream toParent = new DataOutputStream(System.out);
        System.setOut(System.err);
        ObjectInputStream fromParent = new ObjectInputStream(System.in);
        List<?> entries = (List<?>) fromParent.readObject();
        Pace pace = (Pace) fromParent.readObject();
        try (LocalLane lane =
                new LocalLane(entries.stream().map(Entrant.class::cast).toList(), pace)) {
            while (true) {
                byte command = fromParent.readByte();
                int place = fromParent.readInt();
                if (command == WARM_UP) {
                    lane.warmUp(place);
                    write(NOTHING, toParent);
                } else {
                    write(lane.turn(place), toParent);
                }
            }
        } catch (EOFException finished) {
            System.exit(0);
        }
    }

    private static void write(Turn turn, DataOutputStream out) throws IOException {
        out.writeInt(turn.passes());
        out.writeLong(turn.nanos());
        out.writeLong(turn.bytes());
        out.writeLong(turn.values());
        out.writeInt(turn.formats());
        out.writeLong(turn.allocatedBytes());
        Latencies.write(turn.latencies(), out);
        out.flush();
    }

    static Turn read(DataInputStream in) throws IOException {
        return new Turn(
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readInt(),
                in.readLong(),
                Latencies.read(in));
    }
}
