package io.sluice.tree;

import io.sluice.messaging.Link;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/** One link of a {@link FrameRing}: how far it has come, and whether others have to wait for it. */
final class RingLink {
    private final int number;
    private final Outlet outlet;
    private int relaysBehind;

    /** Position in the ring of the next frame to offer. */
    private long position;

    /** Frames that have gone through the ring before that one. */
    private long frames;

    private boolean reached;
    private boolean skipped;

    /** Whether it has been offered the frame in hand, or needs not be. */
    private boolean served;

    /** Whether it has no room for the frame in hand, and by that nobody has. */
    private boolean holdsUp;

    /** For how long it did, in the span under judgement. */
    private long heldNs;

    private long takenInSpan;
    private int slowSpans;

    /** Whether it was found slow, and has not kept up since. */
    private boolean slow;

    private boolean letGo;

    /** Bytes that it has taken since it last left out a frame, or held one up. */
    private long takenInRow;

    RingLink(int number, Link link, NanoClock clock, long position, long frames) {
        this.number = number;
        this.outlet = new Outlet(link, clock);
        this.position = position;
        this.frames = frames;
    }

    int number() {
        return number;
    }

    Outlet outlet() {
        return outlet;
    }

    boolean isConnected() {
        return outlet.link().isConnected();
    }

    /** How many relays may stand in a row from its receiver on. */
    int relaysBehind() {
        return relaysBehind;
    }

    void relaysBehind(int most) {
        relaysBehind = most;
    }

    long position() {
        return position;
    }

    long frames() {
        return frames;
    }

    boolean isServed() {
        return served;
    }

    void served(boolean now) {
        served = now;
    }

    /** Whether it has yet to send something of what is in the ring. */
    boolean isBehind(long tail) {
        return position < tail;
    }

    /** Whether it was there once, and is not now. */
    boolean isLost() {
        return reached && !outlet.link().isConnected();
    }

    boolean offer(DirectBuffer buffer, int offset, int length) {
        boolean taken = outlet.offer(buffer, offset, length);
        reached |= taken;
        skipped &= !taken;
        if (taken) {
            takenInSpan += length;
            takenInRow += length;
        }
        return taken;
    }

    /** Leaves out what it has yet to send; false if it has taken nothing since it did so last. */
    boolean skipTo(long newPosition, long newFrames) {
        moveTo(newPosition, newFrames);
        takenInRow = 0;
        boolean first = !skipped;
        skipped = true;
        return first;
    }

    void moveTo(long newPosition, long newFrames) {
        position = newPosition;
        frames = newFrames;
    }

    /** Whether it holds up the frame in hand from now on. */
    void holdsUp(boolean now) {
        holdsUp = now;
        takenInRow = now ? 0 : takenInRow;
    }

    boolean isHoldingUp() {
        return holdsUp;
    }

    void heldUpTo(long ns) {
        heldNs += holdsUp ? ns : 0;
    }

    long heldNs() {
        return heldNs;
    }

    long takenInSpan() {
        return takenInSpan;
    }

    /** How many spans in a row it has been slow. */
    int slowSpans() {
        return slowSpans;
    }

    /** Begins the next span after so many slow ones. */
    void endSpan(int slow) {
        slowSpans = slow;
        heldNs = 0;
        takenInSpan = 0;
    }

    /** It was found slow; false if that is known. */
    boolean beginsEpisode() {
        boolean begins = !slow;
        slow = true;
        takenInRow = 0;
        return begins;
    }

    /** From now on nobody waits for it. */
    void letGo() {
        letGo = true;
    }

    boolean isLetGo() {
        return letGo;
    }

    /** Whoever has taken so much, while nothing was left out and nobody waited for it, keeps up again. */
    void mayKeepUp(long bytes) {
        if (slow && takenInRow >= bytes) {
            slow = false;
            letGo = false;
        }
    }
}
