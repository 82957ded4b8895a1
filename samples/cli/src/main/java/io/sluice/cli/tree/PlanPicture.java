package io.sluice.cli.tree;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import java.awt.Color;
import java.util.ArrayDeque;
import java.util.Deque;

/** Draws the trees of a plan, one below the other, each with its root at the left; each rack has its shade. */
final class PlanPicture {
    private static final double MARGIN = 12;
    private static final double ROW = 22;
    private static final double GAP = 36;

    /** Maximum number of boxes in a picture. */
    private static final int MOST_BOXES = 4_000;

    private static final int SHADES = 12;

    private final BroadcastJob job;
    private final Forest plan;
    private final Picture picture = new Picture();
    private double width;
    private double row = MARGIN;

    PlanPicture(BroadcastJob job, Forest plan) {
        this.job = job;
        this.plan = plan;
        for (int site = 0; site < job.sites(); site++) {
            width = Math.max(width, Picture.width(job.name(site)));
        }
    }

    /** Draws as many whole trees as fit, at least one. */
    Picture draw() {
        int boxes = 0;
        int drawn = 0;
        for (RelayTree tree : plan.trees()) {
            boxes += tree.size();
            if (drawn > 0 && boxes > MOST_BOXES) {
                break;
            }
            drawn++;
            drawTree(tree);
        }
        if (drawn < plan.trees().size()) {
            picture.text(MARGIN, row + ROW, "and " + (plan.trees().size() - drawn) + " more trees");
        }
        return picture;
    }

    /** The position of a site: next to its parent, and below all earlier ones. */
    private record Spot(int site, int depth, double parentRow) {}

    private void drawTree(RelayTree tree) {
        row += ROW;
        picture.text(
                MARGIN,
                row,
                "shard " + tree.shard() + ", " + tree.bytes() + " bytes, " + (tree.size() - 1) + " hosts, depth "
                        + tree.depth());
        row += ROW / 2;
        Deque<Spot> open = new ArrayDeque<>();
        open.push(new Spot(tree.root(), 0, 0));
        int lastDepth = -1;
        while (!open.isEmpty()) {
            Spot spot = open.pop();
            row += spot.depth <= lastDepth ? ROW : 0;
            lastDepth = spot.depth;
            double x = MARGIN + spot.depth * (width + GAP);
            picture.box(x, row, width, job.name(spot.site), shade(job.edge(spot.site)));
            if (spot.depth > 0) {
                picture.line(x - GAP, spot.parentRow + Picture.BOX / 2, x, row + Picture.BOX / 2);
            }
            for (int i = tree.degree(spot.site) - 1; i >= 0; i--) {
                open.push(new Spot(tree.child(spot.site, i), spot.depth + 1, row));
            }
        }
        row += 2 * ROW;
    }

    private static Color shade(int rack) {
        return Color.getHSBColor((float) (rack * 5 % SHADES) / SHADES, 0.25f, 0.97f);
    }
}
