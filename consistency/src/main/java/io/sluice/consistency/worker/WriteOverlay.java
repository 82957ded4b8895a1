package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.spi.NotFiniteException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Adds this worker's outstanding blocks to a copy of the replica, which the trainer reads. The replica itself contains
 * broadcasts only. Slices without outstanding blocks equal the replica bit for bit.
 *
 * <p>A block that is pushed after version a has arrived returns with the version of its round, or with version a + 2 if
 * that is earlier, because servers may accept rounds early without naming them in a version. Version a + 1 may have
 * been in flight when the block was pushed. The overlay keeps the blocks of a fixed number of rounds and drops the
 * oldest.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class WriteOverlay implements OwnWrites {
    private static final long NOT_YET = -1;

    private final Table table;
    private final TableSpec spec;
    private final int rounds;
    private final MemorySegment read;
    private final Membership membership;
    private final BlockAccumulator accumulator;
    private final Runnable poll;
    private final MemorySegment memory;

    /** For each slice a ring with one block per round. */
    private final Block[] blocks;

    /** The version with which each block returns. */
    private final long[] returnsWith;

    /** For each slice, the index of the oldest entry in its ring. */
    private final int[] oldest;

    /** For each slice, the number of entries in its ring. */
    private final int[] entries;

    /** For each slice, the last version of which a data frame was applied. */
    private final long[] applied;

    /** For each slice, whether the trainer's copy lacks a change. */
    private final boolean[] changed;

    /**
     * Allocates the overlay of a table.
     *
     * @param table       table to overlay
     * @param rounds      number of rounds to keep, 1 or more
     * @param read        the trainer's copy of the parameters
     * @param membership  membership that receives the failure if a sum is not finite
     * @param accumulator adds blocks
     * @param poll        processes all broadcasts that have arrived
     */
    WriteOverlay(
            Table table,
            int rounds,
            MemorySegment read,
            Membership membership,
            BlockAccumulator accumulator,
            Runnable poll) {
        this.table = table;
        this.spec = table.spec();
        this.rounds = rounds;
        this.read = read;
        this.membership = membership;
        this.accumulator = accumulator;
        this.poll = poll;
        int slices = spec.slices();
        this.blocks = new Block[Math.multiplyExact(slices, rounds)];
        this.returnsWith = new long[blocks.length];
        this.oldest = new int[slices];
        this.entries = new int[slices];
        this.applied = new long[slices];
        this.changed = new boolean[slices];
        Arrays.fill(applied, NOT_YET);
        Arrays.fill(changed, true);
        int[] room = new int[slices];
        Arrays.setAll(
                room, slice -> BlockFormat.maxLength(spec.sliceLength(slice)) + OffHeap.ALIGNMENT & -OffHeap.ALIGNMENT);
        this.memory =
                OffHeap.allocate(rounds * Arrays.stream(room).asLongStream().sum());
        long at = 0;
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = new Block().wrap(memory, at);
            at += room[i / rounds];
        }
    }

    @Override
    public void begin() {
        poll.run();
    }

    @Override
    public void pushed(int slice, long round, Block block) {
        long version = version(slice);
        dropReturned(slice, version);
        if (entries[slice] == rounds) {
            dropOldest(slice);
        }
        int entry = entry(slice, entries[slice]++);
        returnsWith[entry] = Math.clamp(round, version + 1, version + 2);
        keep(slice, entry, block);
    }

    @Override
    public void merged(int slice, long round, Block block) {
        long version = version(slice);
        dropReturned(slice, version);
        if (0 == entries[slice]) {
            pushed(slice, round, block); // the overlay dropped the previous block while that block was queued
        } else {
            keep(slice, entry(slice, entries[slice] - 1), block);
        }
    }

    private void keep(int slice, int entry, Block from) {
        Block to = blocks[entry];
        MemorySegment.copy(from.segment(), from.offset(), memory, to.offset(), from.length());
        to.set(from.format(), from.values(), from.elements(), from.count(), from.length());
        changed[slice] = true;
    }

    @Override
    public void applied(int slice, long version) {
        applied[slice] = version;
        changed[slice] = true;
    }

    @Override
    public void refresh() {
        for (int slice = 0; slice < changed.length; slice++) {
            dropReturned(slice, version(slice));
            if (changed[slice]) {
                copy(slice);
                changed[slice] = false;
            }
        }
    }

    /** A slice reaches a version with its data frame, or with the round commit if it has no data frame. */
    private long version(int slice) {
        return Math.max(applied[slice], table.intake().version(table, slice));
    }

    private void dropReturned(int slice, long version) {
        while (entries[slice] > 0 && returnsWith[entry(slice, 0)] <= version) {
            dropOldest(slice);
        }
    }

    private void dropOldest(int slice) {
        oldest[slice] = oldest[slice] + 1 == rounds ? 0 : oldest[slice] + 1;
        entries[slice]--;
        changed[slice] = true;
    }

    private int entry(int slice, int age) {
        int at = oldest[slice] + age;
        return slice * rounds + (at < rounds ? at : at - rounds);
    }

    private void copy(int slice) {
        long at = spec.sliceStart(slice) * Float.BYTES;
        table.writes().begin(slice);
        try {
            MemorySegment.copy(table.replica(), at, read, at, (long) spec.sliceLength(slice) * Float.BYTES);
            for (int age = 0; age < entries[slice]; age++) {
                add(slice, blocks[entry(slice, age)], at);
            }
        } finally {
            table.writes().end(slice);
        }
    }

    private void add(int slice, Block block, long at) {
        try {
            accumulator.restore(block, read, at);
        } catch (NotFiniteException e) {
            throw membership.fail(
                    Failure.NOT_FINITE,
                    membership.plan().nameOf(membership.node()) + " has pushed " + e.added() + " for "
                            + spec.at(slice, e.element()) + ", which makes the parameter " + e.sum()
                            + ", expected finite numbers");
        }
    }
}
