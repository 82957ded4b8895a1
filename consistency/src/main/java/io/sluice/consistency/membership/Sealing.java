package io.sluice.consistency.membership;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.OpeningHandler;
import java.util.function.Consumer;

/**
 * How a welcomed node seals what it sends to its peers, and opens what they send: not at all, unless the cluster's
 * terms say so.
 *
 * <p>Seals may be asked for from any thread; each is for one.
 */
public final class Sealing {
    private static final Sealing NONE = new Sealing(null, null, ControlIds.NOBODY, null, null);

    private final KeySchedule schedule;
    private final ClusterPlan plan;
    private final int node;
    private final SenderSeals seals;
    private final Attendance attendance;

    private Sealing(KeySchedule schedule, ClusterPlan plan, int node, SenderSeals seals, Attendance attendance) {
        this.node = node;
        this.schedule = schedule;
        this.plan = plan;
        this.seals = seals;
        this.attendance = attendance;
    }

    /** That of a cluster whose frames are open. */
    static Sealing none() {
        return NONE;
    }

    /**
     * That of a cluster which seals its frames.
     *
     * @param schedule   of its secret
     * @param plan       which says so
     * @param node       this node
     * @param own        the seals of this node
     * @param attendance knows how all nodes have joined
     */
    static Sealing of(KeySchedule schedule, ClusterPlan plan, int node, SenderSeals own, Attendance attendance) {
        return new Sealing(schedule, plan, node, own, attendance);
    }

    /**
     * What finishes the frames of one thread.
     *
     * @return a seal, or what only adds the checksum
     */
    public FrameSeal newSeal() {
        return null == seals ? FrameSeal.checksumOnly() : seals.newSeal();
    }

    /**
     * What the frames of data streams must look like.
     *
     * @return the rule for validators
     */
    public SealRule rule() {
        return null == seals ? SealRule.OPEN : SealRule.SEALED;
    }

    /**
     * Bytes by which a seal makes frames longer.
     *
     * @return 0 if there is none
     */
    public int trailerLength() {
        return null == seals ? 0 : SealTrailer.LENGTH;
    }

    /**
     * What opens frames of all nodes.
     *
     * @return an opener for one thread, or null if frames are open
     */
    public FrameOpener newOpener() {
        if (null == seals) {
            return null;
        }
        int longest = Frame.DATA_LENGTH + BlockFormat.maxLength(plan.settings().sliceElements());
        FrameOpener opener = new FrameOpener(schedule, plan.clusterId(), node, longest);
        for (int peer = 0; peer < attendance.nodes(); peer++) {
            admit(opener, peer);
        }
        return opener;
    }

    private void admit(FrameOpener opener, int peer) {
        Attendance.Seat seat = attendance.seat(peer);
        if (seat.epoch() >= 0) { // else nothing was heard of it in the life of this node
            opener.admit(peer, seat.epoch(), seat.joinNonce());
        }
    }

    /**
     * Before a frame is opened, its sender's key has to be that of its present life: a frame of one whose coming back
     * is not known yet is put off.
     */
    private FrameHandler withKeysOf(PeerLives lives, FrameOpener opener, FrameHandler handler) {
        if (!attendance.moves()) {
            return handler;
        }
        return (buffer, offset, length, templateId, session) -> {
            if (lives.isBehind()) {
                lives.follow(peer -> admit(opener, peer));
            }
            int origin = Frame.origin(buffer, offset);
            if (origin < attendance.nodes() && lives.isToCome(origin, Frame.epoch(buffer, offset))) {
                return Action.ABORT;
            }
            return handler.onFrame(buffer, offset, length, templateId, session);
        };
    }

    /**
     * Puts an opener before a handler, if frames are sealed.
     *
     * @param membership of this node, which hears who comes back
     * @param handler of open frames
     * @param reject  counts what is not genuine
     * @return what an inbox is to call
     */
    public FrameHandler opening(Membership membership, FrameHandler handler, Consumer<Rejection> reject) {
        FrameOpener opener = newOpener();
        return null == opener
                ? handler
                : withKeysOf(new PeerLives(membership), opener, new OpeningHandler(opener, handler, reject));
    }

    /**
     * As {@link #opening}, for a handler that passes frames on: it gets them sealed as they are, but only those that
     * can be opened.
     *
     * @param membership of this node, which hears who comes back
     * @param handler of genuine frames
     * @param reject  counts what is not genuine
     * @return what an inbox is to call
     */
    public FrameHandler genuine(Membership membership, FrameHandler handler, Consumer<Rejection> reject) {
        FrameOpener opener = newOpener();
        return null == opener
                ? handler
                : withKeysOf(new PeerLives(membership), opener, OpeningHandler.ofGenuine(opener, handler, reject));
    }
}
