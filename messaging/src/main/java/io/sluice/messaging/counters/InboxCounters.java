package io.sluice.messaging.counters;

import io.sluice.codecs.Rejection;
import java.util.List;
import java.util.Locale;

/**
 * The counters of an inbox. Only the polling thread changes them; any thread may read them. Allocates only when a
 * reason for a rejection first occurs.
 */
public final class InboxCounters implements AutoCloseable {
    static final List<CounterGroup.Member> ALWAYS = List.of(
            new CounterGroup.Member(CounterType.INBOX_FRAMES_RECEIVED, ""),
            new CounterGroup.Member(CounterType.INBOX_BYTES_RECEIVED, ""),
            new CounterGroup.Member(CounterType.INBOX_FRAMES_DEFERRED, ""));

    private final CounterGroup group;
    private final SingleWriterCounter frames;
    private final SingleWriterCounter bytes;
    private final SingleWriterCounter deferred;
    private final CounterFamily rejected;

    InboxCounters(CounterGroup group) {
        this.group = group;
        frames = group.counter(CounterType.INBOX_FRAMES_RECEIVED);
        bytes = group.counter(CounterType.INBOX_BYTES_RECEIVED);
        deferred = group.counter(CounterType.INBOX_FRAMES_DEFERRED);
        rejected = new CounterFamily(group, CounterType.INBOX_REJECTED, Rejection.size());
    }

    /** Counts a handled frame. */
    public void onHandled(int length) {
        frames.increment();
        bytes.add(length);
    }

    /** Counts a deferred frame. */
    public void onDeferred() {
        deferred.increment();
    }

    /** Counts a dropped frame. */
    public void onRejected(Rejection reason) {
        int index = reason.ordinal();
        if (!rejected.has(index)) {
            rejected.open(index, reason.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        rejected.add(index, 1);
    }

    /** Number of frames handled. */
    public long frames() {
        return frames.get();
    }

    /** Number of bytes of the frames handled. */
    public long bytes() {
        return bytes.get();
    }

    /** Number of times that a frame was deferred. */
    public long deferred() {
        return deferred.get();
    }

    /** The inbox's group of counters, to which users of the inbox may add their own. */
    public CounterGroup group() {
        return group;
    }

    @Override
    public void close() {
        group.close();
    }
}
