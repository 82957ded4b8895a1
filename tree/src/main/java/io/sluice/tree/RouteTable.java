package io.sluice.tree;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * States which tree carries a frame. A root has one tree or several, its <em>routes</em>, numbered from 0; each slice
 * always uses the same route. Trees are numbered consecutively, those of root 0 first.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class RouteTable {
    /** Stands for a tree or a route that does not exist. */
    public static final int NONE = -1;

    /** Maximum number of routes of a root: the number has 16 bits in a round commit. */
    public static final int MOST = 1 << Short.SIZE;

    /** For each root, the number of its first tree; at the end the number of all trees. */
    private final int[] first;

    /** For each tree, its root. */
    private final int[] roots;

    private final SliceRoutes slices;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /** The route of a slice from the root that owns it. */
    @FunctionalInterface
    public interface SliceRoutes {
        /**
         * Looks up the route of a slice.
         *
         * @param table id of a table, from 0
         * @param slice number of a slice, from 0
         * @return the route, or {@link #NONE} if there is no such slice
         */
        int of(int table, int slice);
    }

    /**
     * Numbers trees.
     *
     * @param roots  number of roots, each with at least one tree
     * @param trees  trees in the order of their roots, and those of a root in the order of its routes
     * @param slices the route of each slice
     * @throws IllegalArgumentException if a root has more than {@link #MOST} routes
     */
    public RouteTable(int roots, List<BroadcastTree> trees, SliceRoutes slices) {
        this(trees.stream().mapToInt(BroadcastTree::root).toArray(), roots, slices);
    }

    private RouteTable(int[] rootOfTree, int roots, SliceRoutes slices) {
        this.roots = rootOfTree;
        this.slices = slices;
        this.first = new int[roots + 1];
        for (int root : rootOfTree) {
            first[root + 1]++;
        }
        for (int root = 0; root < roots; root++) {
            if (first[root + 1] > MOST) {
                throw new IllegalArgumentException(
                        "the broadcast of node " + root + " has " + first[root + 1] + " trees, expected up to " + MOST);
            }
            first[root + 1] += first[root];
        }
    }

    /**
     * Creates a table with one tree for each root.
     *
     * @param roots number of roots
     * @return the table
     */
    public static RouteTable single(int roots) {
        int[] rootOfTree = new int[roots];
        for (int root = 0; root < roots; root++) {
            rootOfTree[root] = root;
        }
        return new RouteTable(rootOfTree, roots, (table, slice) -> 0);
    }

    /** The number of trees. */
    public int trees() {
        return roots.length;
    }

    /** The number of roots. */
    public int roots() {
        return first.length - 1;
    }

    /** The root of a tree. */
    public int root(int tree) {
        return roots[tree];
    }

    /** The number of a tree among the routes of its root, from 0. */
    public int route(int tree) {
        return tree - first[roots[tree]];
    }

    /** The number of routes of a root. */
    public int count(int root) {
        return first[root + 1] - first[root];
    }

    /**
     * The tree of a root by its route.
     *
     * @param root number of an existing root
     * @param route any number
     * @return number of the tree, or {@link #NONE} if the root has no such route
     */
    public int tree(int root, int route) {
        return route >= 0 && route < count(root) ? first[root] + route : NONE;
    }

    /**
     * The tree that carries a slice.
     *
     * @param root  root that owns the slice
     * @param table id of its table
     * @param slice number of the slice; it need not exist
     * @return number of the tree, or {@link #NONE} if there is no such slice
     */
    public int tree(int root, int table, int slice) {
        return tree(root, slices.of(table, slice));
    }

    /**
     * The tree of a frame, from its header.
     *
     * @param root       root that made the frame; it need not exist
     * @param buffer     buffer holding the frame, a data frame or a round commit
     * @param offset     offset of its first byte
     * @param templateId template id of the frame
     * @return number of the tree, or {@link #NONE} if there is no such root, slice or route
     */
    public int tree(int root, DirectBuffer buffer, int offset, int templateId) {
        if (root < 0 || root >= roots()) {
            return NONE;
        }
        if (RoundCommitDecoder.TEMPLATE_ID == templateId) {
            return tree(root, commit.wrapAndApplyHeader(buffer, offset, header).route());
        }
        data.wrapAndApplyHeader(buffer, offset, header);
        return tree(root, data.table(), data.slice());
    }
}
