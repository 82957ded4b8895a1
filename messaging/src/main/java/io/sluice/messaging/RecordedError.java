package io.sluice.messaging;

/**
 * An error that occurred, once or more often, in the same place.
 *
 * @param source {@code media driver} or {@code sluice}: whose log it is in.
 * @param processId of the process.
 * @param count how often it occurred.
 * @param firstMs when first, in milliseconds of the epoch.
 * @param lastMs when last.
 * @param text the exception with its stack trace.
 */
public record RecordedError(String source, long processId, int count, long firstMs, long lastMs, String text) {}
