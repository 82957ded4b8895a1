package io.sluice.messaging;

/**
 * An error that occurred once or several times in the same place.
 *
 * @param source {@code media driver} or {@code sluice}, the owner of the error log.
 * @param processId process id of the process.
 * @param count number of times that the error occurred.
 * @param firstMs time of the first occurrence, in milliseconds of the epoch.
 * @param lastMs time of the last occurrence.
 * @param text the exception with its stack trace.
 */
public record RecordedError(String source, long processId, int count, long firstMs, long lastMs, String text) {}
