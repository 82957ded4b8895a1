package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.consistency.wire.Gaps;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FrameOrder;
import io.sluice.tree.FrameRing;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import io.sluice.tree.Relay;
import io.sluice.tree.RouteTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * A worker that receives broadcasts and forwards them to its children. Its relay and its trainer may each stall for a
 * while, and each requests the frames that it misses.
 */
final class ReceivingWorker {
    private static final int POLL_LIMIT = 8;

    /** The relay or the trainer. */
    private final class Receiver {
        final FrameOrder order = new FrameOrder(in.routes.trees(), RelayedBroadcast.TABLES, 0);
        final List<Inbox> inboxes = new ArrayList<>();
        final Gaps missing;
        long stallsUntilNs = System.nanoTime();

        Receiver(boolean relay) {
            this.missing =
                    in.newGaps(node, relay, order, (tree, table) -> carries(tree, table) && (!relay || relays(tree)));
        }

        boolean stalls() {
            return System.nanoTime() - stallsUntilNs < 0;
        }

        void work() {
            if (stalls()) {
                return;
            }
            inboxes.forEach(inbox -> inbox.poll(POLL_LIMIT));
            missing.work(System.nanoTime());
        }

        boolean has(int tree, int table) {
            return order.clock(tree, table) == in.versions;
        }
    }

    private final RelayedBroadcast in;
    private final int worker;
    private final int node;
    private final Receiver relaying;
    private final Receiver training;
    private final FrameRing[] rings;
    private final OutgoingHops[] hops;
    private Relay relay;
    private final List<Link> links = new ArrayList<>();

    /** By tree, the frames of the relay in the order of their arrival. */
    private final List<List<Long>> got = new ArrayList<>();

    /** The frames that the trainer received, by tree and table. */
    private final List<List<Long>> taken = new ArrayList<>();

    private long arriving;
    private boolean dead;

    ReceivingWorker(RelayedBroadcast in, int worker) {
        this.in = in;
        this.worker = worker;
        this.node = in.roots.length + worker;
        int trees = in.routes.trees();
        this.rings = new FrameRing[trees];
        this.hops = new OutgoingHops[trees];
        for (int i = 0; i < trees; i++) {
            got.add(new ArrayList<>());
        }
        for (int i = 0; i < trees * RelayedBroadcast.TABLES; i++) {
            taken.add(new ArrayList<>());
        }
        this.relaying = new Receiver(true);
        this.training = new Receiver(false);
        relaying.inboxes.add(in.udpInbox(RelayedBroadcast.RELAY, this::onRelay));
        training.inboxes.add(in.udpInbox(RelayedBroadcast.TRAINER, this::onTrainer));
        training.inboxes.add(in.ipcInbox(node, this::onTrainer));
    }

    Inbox inbox(boolean ofRelay) {
        return (ofRelay ? relaying : training).inboxes.getFirst();
    }

    /** Opens the links to the children, if the trees have any. */
    void open(List<BroadcastTree> trees) {
        for (int i = 0; i < rings.length; i++) {
            List<Hop> children = trees.get(i).from(node);
            if (!children.isEmpty()) {
                int tree = i;
                hops[i] = new OutgoingHops(children);
                rings[i] = in.newRing();
                children.forEach(hop -> open(tree, hop));
            }
        }
        relay = new Relay(
                rings,
                in.routes,
                in.longest,
                this::onPassed,
                this::onRejected,
                relaying.order,
                relaying.missing::ahead);
    }

    private void open(int tree, Hop hop) {
        Link link = in.open(tree, hop, got.get(tree));
        links.add(link);
        rings[tree].add(link);
    }

    /** Adopts changed trees, and requests missing frames in those where the parent has changed. */
    void follow(List<BroadcastTree> before, List<BroadcastTree> trees) {
        for (int i = 0; i < rings.length; i++) {
            if (!senders(before.get(i)).equals(senders(trees.get(i)))) {
                (relays(i) ? relaying : training).missing.changed(i);
            }
            if (null != rings[i]) {
                int tree = i;
                hops[i].follow(trees.get(i).from(node), hop -> open(tree, hop), rings[i]::close);
            }
        }
    }

    private List<Integer> senders(BroadcastTree tree) {
        return tree.hops().stream()
                .filter(hop -> hop.from() != node && hop.to().contains(node))
                .map(Hop::from)
                .toList();
    }

    private boolean relays(int tree) {
        return null != rings[tree];
    }

    private boolean carries(int tree, int table) {
        return in.roots[in.routes.root(tree)].carries(table, in.routes.route(tree));
    }

    void stallRelay(long ms) {
        relaying.stallsUntilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    void stallTrainer(long ms) {
        training.stallsUntilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Ends as after {@code kill -9}. */
    void die() {
        dead = true;
        links.forEach(Link::close);
        relaying.inboxes.forEach(Inbox::close);
        training.inboxes.forEach(Inbox::close);
    }

    boolean isDead() {
        return dead;
    }

    void work() {
        if (dead) {
            return;
        }
        relaying.work();
        if (!relaying.stalls()) {
            relay.flush();
        }
        training.work();
    }

    private Action onRelay(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        arriving = LinkTraffic.hash(buffer, offset, length);
        Action action = relay.onFrame(buffer, offset, length, templateId, session);
        if (Action.CONTINUE == action) {
            in.arrived(session, arriving);
        }
        return action;
    }

    private Action onPassed(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int tree = in.routes.tree(Frame.origin(buffer, offset), buffer, offset, templateId);
        got.get(tree).add(arriving);
        relaying.missing.arrived(tree);
        return Action.CONTINUE;
    }

    private void onRejected(Rejection rejection) {
        assertEquals(Rejection.DUPLICATE, rejection, "at the relay of worker " + worker);
    }

    private Action onTrainer(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int tree = in.routes.tree(Frame.origin(buffer, offset), buffer, offset, templateId);
        FrameOrder.Turn turn = training.order.turn(tree, buffer, offset, templateId);
        if (FrameOrder.Turn.AHEAD == turn) {
            return training.missing.ahead(tree);
        }
        long hash = LinkTraffic.hash(buffer, offset, length);
        in.arrived(session, hash);
        if (FrameOrder.Turn.NEXT == turn) {
            training.order.pass(tree);
            training.missing.arrived(tree);
            taken.get(tree * RelayedBroadcast.TABLES + RelayedBroadcast.table(buffer, offset))
                    .add(hash);
        }
        return Action.CONTINUE;
    }

    /** Whether this worker has all versions and has forwarded them to its children. */
    boolean isDone() {
        if (dead) {
            return true;
        }
        for (int tree = 0; tree < rings.length; tree++) {
            for (int table = 0; table < RelayedBroadcast.TABLES; table++) {
                if (!carries(tree, table)) {
                    continue;
                }
                if (!training.has(tree, table) || null != rings[tree] && !relaying.has(tree, table)) {
                    return false;
                }
            }
        }
        return Arrays.stream(rings).allMatch(ring -> null == ring || ring.isSettled());
    }

    /** Requires that each table has arrived as it was broadcast, in order on each route. */
    void check(String context) {
        RouteTable routes = in.routes;
        for (int tree = 0; tree < rings.length; tree++) {
            List<List<Long>> broadcast = in.roots[routes.root(tree)].broadcast;
            for (int table = 0; table < RelayedBroadcast.TABLES; table++) {
                assertEquals(
                        broadcast.get(routes.route(tree) * RelayedBroadcast.TABLES + table),
                        taken.get(tree * RelayedBroadcast.TABLES + table),
                        "worker " + worker + ", tree " + tree + ", table " + table + ", " + context);
            }
        }
    }
}
