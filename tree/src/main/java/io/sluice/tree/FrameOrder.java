package io.sluice.tree;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * Tracks which frame of each table a relay must forward next in each tree, and reads only headers for this. A relay
 * forwards a frame only when it is due. So its children get each frame once and in order, on whichever link it arrived.
 * A table's data frames of a version in one tree are numbered from 0 and followed by their round commit; then the next
 * version starts.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class FrameOrder {
    private final int tables;
    private final long[] clocks;
    private final int[] sequences;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();
    private int table;
    private long clock;
    private int sequence;
    private boolean closes;

    /** Position of a frame in the order. */
    public enum Turn {
        /** The relay has already forwarded the frame, or may skip it. */
        PAST,
        /** The frame is due. */
        NEXT,
        /** Frames before it are missing. */
        AHEAD,
        /** The frame belongs to no known table. */
        UNKNOWN
    }

    /**
     * Expects the first frame of the same version of all tables.
     *
     * @param trees   number of trees
     * @param tables  number of tables
     * @param version the first version, from 0
     */
    public FrameOrder(int trees, int tables, long version) {
        this.tables = tables;
        this.clocks = new long[trees * tables];
        this.sequences = new int[trees * tables];
        Arrays.fill(clocks, version);
    }

    /**
     * Finds the position of a frame by its header.
     *
     * @param tree       tree that carries it
     * @param buffer     buffer holding the frame, a data frame or a round commit
     * @param offset     offset of its first byte
     * @param templateId template id of the frame
     * @return its position
     */
    public Turn turn(int tree, DirectBuffer buffer, int offset, int templateId) {
        closes = RoundCommitDecoder.TEMPLATE_ID == templateId;
        if (closes) {
            commit.wrapAndApplyHeader(buffer, offset, header);
            table = commit.table();
            clock = commit.clock();
            sequence = commit.frames();
        } else {
            data.wrapAndApplyHeader(buffer, offset, header);
            table = data.table();
            clock = data.clock();
            sequence = data.sequence();
        }
        if (table >= tables) {
            return Turn.UNKNOWN;
        }
        int key = tree * tables + table;
        if (clock == clocks[key] && sequence == sequences[key]) {
            return Turn.NEXT;
        }
        boolean past = clock < clocks[key] || clock == clocks[key] && sequence < sequences[key];
        return past ? Turn.PAST : Turn.AHEAD;
    }

    /**
     * Records that the relay has forwarded the frame for which {@link #turn} last returned {@link Turn#NEXT}.
     *
     * @param tree tree that carries it
     */
    public void pass(int tree) {
        int key = tree * tables + table;
        clocks[key] = closes ? clock + 1 : clock;
        sequences[key] = closes ? 0 : sequence + 1;
    }

    /**
     * Skips frames that are no longer needed, unless the order is past them.
     *
     * @param tree     tree that carries them
     * @param ofTable  id of the table
     * @param version  version of the frame that is due then
     * @param ordinal  ordinal of that frame
     */
    public void continueAt(int tree, int ofTable, long version, int ordinal) {
        if (ofTable >= tables) {
            return;
        }
        int key = tree * tables + ofTable;
        if (version > clocks[key] || version == clocks[key] && ordinal > sequences[key]) {
            clocks[key] = version;
            sequences[key] = ordinal;
        }
    }

    /**
     * Expects the frames of all tables in one tree from a version on, because the root sends them again.
     *
     * @param tree    tree whose frames the root repeats
     * @param version the first version, from 0
     */
    public void restart(int tree, long version) {
        Arrays.fill(clocks, tree * tables, (tree + 1) * tables, version);
        Arrays.fill(sequences, tree * tables, (tree + 1) * tables, 0);
    }

    /**
     * Version of the frame that is due.
     *
     * @param tree    tree that carries it
     * @param ofTable id of the table
     * @return the version, from 0
     */
    public long clock(int tree, int ofTable) {
        return clocks[tree * tables + ofTable];
    }

    /**
     * Ordinal of the frame that is due, or of the round commit if that is due.
     *
     * @param tree    tree that carries it
     * @param ofTable id of the table
     * @return the ordinal, from 0
     */
    public int sequence(int tree, int ofTable) {
        return sequences[tree * tables + ofTable];
    }
}
