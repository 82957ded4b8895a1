package io.sluice.samples.data;

/** A data set. */
public interface NamedData {
    /** Name for reports. */
    String name();
}
