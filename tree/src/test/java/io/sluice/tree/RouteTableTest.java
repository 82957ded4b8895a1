package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import java.util.Collections;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Frame.DATA_LENGTH]);

    private static BroadcastTree of(int root) {
        return new BroadcastTree(root, 1, List.of());
    }

    /** Root 0 has one route, root 1 has three, and slices of table 0 use them in turn. */
    private final RouteTable routes = new RouteTable(
            2,
            List.of(of(0), of(1), of(1), of(1)),
            (table, slice) -> 0 == table && slice < 9 ? slice % 3 : RouteTable.NONE);

    private int data(int root, int table, int slice) {
        new DataEncoder()
                .wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder())
                .table(table)
                .slice(slice);
        return routes.tree(root, buffer, 0, DataDecoder.TEMPLATE_ID);
    }

    private int commit(int root, int route) {
        new RoundCommitEncoder()
                .wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder())
                .route(route);
        return routes.tree(root, buffer, 0, RoundCommitDecoder.TEMPLATE_ID);
    }

    @Test
    void treesAreNumberedThrough() {
        assertEquals(4, routes.trees());
        assertEquals(2, routes.roots());
        assertEquals(1, routes.count(0));
        assertEquals(3, routes.count(1));
        for (int tree = 0; tree < routes.trees(); tree++) {
            assertEquals(tree, routes.tree(routes.root(tree), routes.route(tree)));
        }
    }

    @Test
    void theTreeFollowsFromTheHeader() {
        assertEquals(0, data(0, 0, 3));
        assertEquals(1, data(1, 0, 6));
        assertEquals(3, data(1, 0, 5));
        assertEquals(0, commit(0, 0));
        assertEquals(2, commit(1, 1));
    }

    @Test
    void whatThereIsNotHasNoTree() {
        assertEquals(RouteTable.NONE, data(0, 0, 4), "the server of one route has no second");
        assertEquals(RouteTable.NONE, data(1, 0, 9));
        assertEquals(RouteTable.NONE, data(1, 1, 0));
        assertEquals(RouteTable.NONE, data(2, 0, 0));
        assertEquals(RouteTable.NONE, data(-1, 0, 0));
        assertEquals(RouteTable.NONE, commit(0, 1));
        assertEquals(RouteTable.NONE, commit(1, 3));
        assertEquals(RouteTable.NONE, commit(1, 65_535));
    }

    @Test
    void moreWaysThanARoundCommitCanNameAreRefused() {
        List<BroadcastTree> trees = Collections.nCopies(RouteTable.MOST + 1, of(0));
        assertEquals(
                "the broadcast of node 0 has 65537 trees, expected up to 65536",
                assertThrows(IllegalArgumentException.class, () -> new RouteTable(1, trees, (table, slice) -> 0))
                        .getMessage());
    }
}
