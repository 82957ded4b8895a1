package io.sluice.consistency.terms;

import java.nio.charset.StandardCharsets;

/**
 * Shape of a table: rows x columns floats in row order, cut into slices of {@code sliceElements}, the last one shorter.
 *
 * @param id            number of the table, from 0, in the order of declaration
 * @param name          name for users; at most {@value #MAX_NAME_BYTES} bytes of UTF-8
 * @param rows          number of rows, at least 1
 * @param columns       floats of a row, at least 1
 * @param sliceElements floats of a slice, from 1 to {@value #MAX_SLICE_ELEMENTS}
 * @param consumed      whether each worker consumes every version of the table, so that its replica holds only what has
 *                      arrived since; such a table is exchanged exactly, whatever the terms of the cluster
 */
public record TableSpec(int id, String name, int rows, int columns, int sliceElements, boolean consumed) {
    /** Maximum number of floats of a slice, since the index format has 16 bits. */
    public static final int MAX_SLICE_ELEMENTS = 65_536;

    /** Maximum length of a name, in bytes. */
    public static final int MAX_NAME_BYTES = 255;

    /** Maximum number of tables of a cluster, since frames number them in 16 bits. */
    public static final int MAX_TABLES = 65_535;

    /** Refuses impossible shapes. */
    public TableSpec {
        if (id < 0 || id >= MAX_TABLES) {
            throw new IllegalArgumentException("table id is " + id + ", expected 0 to " + (MAX_TABLES - 1));
        }
        int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes < 1 || nameBytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "table name '" + name + "' has " + nameBytes + " bytes, expected 1 to " + MAX_NAME_BYTES);
        }
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException(
                    "table " + name + " is " + rows + " x " + columns + ", expected at least 1 x 1");
        }
        if (sliceElements < 1 || sliceElements > MAX_SLICE_ELEMENTS) {
            throw new IllegalArgumentException("slices of table " + name + " have " + sliceElements
                    + " elements, expected 1 to " + MAX_SLICE_ELEMENTS);
        }
        long slices = ((long) rows * columns + sliceElements - 1) / sliceElements;
        if (slices > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("table " + name + " has " + slices + " slices of " + sliceElements
                    + " elements, at most " + Integer.MAX_VALUE + " can be numbered: enlarge the slices");
        }
    }

    /**
     * A table that accumulates updates.
     *
     * @param id            number of the table, from 0
     * @param name          name for users
     * @param rows          number of rows
     * @param columns       floats of a row
     * @param sliceElements floats of a slice
     */
    public TableSpec(int id, String name, int rows, int columns, int sliceElements) {
        this(id, name, rows, columns, sliceElements, false);
    }

    /**
     * Number of floats.
     *
     * @return rows * columns
     */
    public long elements() {
        return (long) rows * columns;
    }

    /**
     * Number of slices.
     *
     * @return at least 1
     */
    public int slices() {
        return (int) ((elements() + sliceElements - 1) / sliceElements);
    }

    /**
     * First element of a slice.
     *
     * @param slice number of the slice, from 0
     * @return index into the table
     */
    public long sliceStart(int slice) {
        return (long) slice * sliceElements;
    }

    /**
     * Number of floats of a slice.
     *
     * @param slice number of the slice, from 0
     * @return {@code sliceElements}, or less for the last
     */
    public int sliceLength(int slice) {
        return (int) Math.min(sliceElements, elements() - sliceStart(slice));
    }

    /**
     * Describes the position of an element.
     *
     * @param slice   number of the slice, from 0
     * @param element element of the slice, from 0
     * @return table, slice, row and column
     */
    public String at(int slice, int element) {
        long index = sliceStart(slice) + element;
        return "table " + name + ", slice " + slice + ", row " + index / columns + ", column " + index % columns;
    }
}
