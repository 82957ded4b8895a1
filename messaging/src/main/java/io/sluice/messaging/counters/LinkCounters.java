package io.sluice.messaging.counters;

import io.sluice.codecs.sbe.DataDecoder;
import java.util.ArrayList;
import java.util.List;

/** The counters of a link. The sending thread changes them, and any thread may read them. Allocates nothing. */
public final class LinkCounters implements AutoCloseable {
    static final List<CounterGroup.Member> ALWAYS = always();

    private final CounterGroup group;
    private final SingleWriterCounter[] frames = new SingleWriterCounter[FrameKind.size()];
    private final SingleWriterCounter[] bytes = new SingleWriterCounter[FrameKind.size()];
    private final SingleWriterCounter dataFrames;
    private final SingleWriterCounter dataBytes;
    private final SingleWriterCounter stalls;
    private final SingleWriterCounter connected;
    private boolean isConnected;

    LinkCounters(CounterGroup group) {
        this.group = group;
        for (FrameKind kind : FrameKind.values()) {
            frames[kind.ordinal()] = group.counter(CounterType.LINK_FRAMES_SENT, kind.configName());
            bytes[kind.ordinal()] = group.counter(CounterType.LINK_BYTES_SENT, kind.configName());
        }
        dataFrames = frames[FrameKind.DATA.ordinal()];
        dataBytes = bytes[FrameKind.DATA.ordinal()];
        stalls = group.counter(CounterType.LINK_STALLS);
        connected = group.counter(CounterType.LINK_CONNECTED);
    }

    private static List<CounterGroup.Member> always() {
        List<CounterGroup.Member> members = new ArrayList<>();
        for (FrameKind kind : FrameKind.values()) {
            members.add(new CounterGroup.Member(CounterType.LINK_FRAMES_SENT, kind.configName()));
            members.add(new CounterGroup.Member(CounterType.LINK_BYTES_SENT, kind.configName()));
        }
        members.add(new CounterGroup.Member(CounterType.LINK_STALLS, ""));
        members.add(new CounterGroup.Member(CounterType.LINK_CONNECTED, ""));
        return List.copyOf(members);
    }

    /**
     * Counts a frame that the log has accepted.
     *
     * @param templateId template id from the frame's header.
     * @param lengthInLog bytes that the frame occupies in the log.
     */
    public void onSent(int templateId, int lengthInLog) {
        if (templateId
                == DataDecoder
                        .TEMPLATE_ID) { // Most frames are data, and finding the counter of another kind takes as long
            // as counting.
            dataFrames.increment();
            dataBytes.add(lengthInLog);
        } else {
            int kind = FrameKind.ordinalOf(templateId);
            frames[kind].increment();
            bytes[kind].add(lengthInLog);
        }
    }

    /** Counts a frame that the log has refused. */
    public void onStall() {
        stalls.increment();
    }

    /** Sets whether a receiver is connected; costs a store only on a change. */
    public void setConnected(boolean now) {
        if (now != isConnected) {
            isConnected = now;
            connected.set(now ? 1 : 0);
        }
    }

    /** Number of frames sent, of all kinds. */
    public long frames() {
        return sum(frames);
    }

    /** Number of frames sent, of one kind. */
    public long frames(FrameKind kind) {
        return frames[kind.ordinal()].get();
    }

    /** Number of bytes sent, of all kinds. */
    public long bytes() {
        return sum(bytes);
    }

    /** Number of bytes sent, of one kind. */
    public long bytes(FrameKind kind) {
        return bytes[kind.ordinal()].get();
    }

    /** Number of offers refused. */
    public long stalls() {
        return stalls.get();
    }

    private static long sum(SingleWriterCounter[] counters) {
        long sum = 0;
        for (SingleWriterCounter counter : counters) {
            sum += counter.get();
        }
        return sum;
    }

    /** The link's group, to which a queue or a budget on top of the link adds counters. */
    public CounterGroup group() {
        return group;
    }

    @Override
    public void close() {
        group.close();
    }
}
