package io.sluice.messaging.counters;

import io.sluice.codecs.sbe.DataDecoder;
import java.util.ArrayList;
import java.util.List;

/** What a link counts. Changed by the thread that sends, read by any; allocates nothing. */
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
     * The log has taken a frame.
     *
     * @param templateId from the frame's header.
     * @param lengthInLog bytes it occupies there.
     */
    public void onSent(int templateId, int lengthInLog) {
        if (templateId == DataDecoder.TEMPLATE_ID) { // most are, and looking up what to count takes as long as counting
            dataFrames.increment();
            dataBytes.add(lengthInLog);
        } else {
            int kind = FrameKind.ordinalOf(templateId);
            frames[kind].increment();
            bytes[kind].add(lengthInLog);
        }
    }

    /** The log has refused a frame. */
    public void onStall() {
        stalls.increment();
    }

    /** Whether a receiver is connected; costs a store only when that changes. */
    public void connected(boolean now) {
        if (now != isConnected) {
            isConnected = now;
            connected.set(now ? 1 : 0);
        }
    }

    /** Frames sent, of all kinds. */
    public long frames() {
        return sum(frames);
    }

    /** Frames sent, of one kind. */
    public long frames(FrameKind kind) {
        return frames[kind.ordinal()].get();
    }

    /** Bytes sent, of all kinds. */
    public long bytes() {
        return sum(bytes);
    }

    /** Bytes sent, of one kind. */
    public long bytes(FrameKind kind) {
        return bytes[kind.ordinal()].get();
    }

    /** Offers refused. */
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
