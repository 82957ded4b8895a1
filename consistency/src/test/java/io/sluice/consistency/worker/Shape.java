package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;

/** A table that a test declares. */
record Shape(String name, int rows, int columns) {
    TableSpec spec(int id, int sliceElements) {
        return new TableSpec(id, name, rows, columns, sliceElements);
    }
}
