package io.sluice.consistency.server;

import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.NodeBudget;
import org.agrona.concurrent.NanoClock;

/**
 * Opens lines to nodes that are handed slices.
 *
 * @param peering opens links
 * @param budget  of this server
 * @param writer  of this server, used for nothing else: what it writes here is for one node each
 * @param clock   by which lines are closed
 * @param sliceElements of the longest slice
 */
record DenseLines(Peering peering, NodeBudget budget, FrameWriter writer, NanoClock clock, int sliceElements) {

    DenseLine open(int node) {
        Link link = peering.replyLinkTo(node);
        return new DenseLine(node, link, peering.pace(link, budget), writer, sliceElements, clock.nanoTime());
    }
}
