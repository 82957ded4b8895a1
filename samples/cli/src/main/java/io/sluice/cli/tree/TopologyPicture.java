package io.sluice.cli.tree;

import io.sluice.tree.topology.Topology;
import java.awt.Color;
import java.util.List;

/** Draws a network in three columns, from the aggregation switches to the hosts. */
final class TopologyPicture {
    private static final Color AGGREGATION = new Color(0xF4C7A1);
    private static final Color EDGE = new Color(0xF7E7A6);
    private static final Color HOST = new Color(0xCFE3F4);
    private static final double MARGIN = 12;
    private static final double ROW = 24;
    private static final double GAP = 60;

    /** Maximum number of hosts of a rack with boxes of their own; the others become one box. */
    private static final int MOST_HOSTS = 48;

    private final Topology topology;
    private final Picture picture = new Picture();
    private double aggregationWidth;
    private double edgeWidth;
    private double hostWidth;
    private double row = MARGIN;

    TopologyPicture(Topology topology) {
        this.topology = topology;
        topology.aggregations()
                .forEach(device -> aggregationWidth = Math.max(aggregationWidth, Picture.width(label(device))));
        topology.edges().forEach(device -> edgeWidth = Math.max(edgeWidth, Picture.width(label(device))));
        topology.hosts().forEach(host -> hostWidth = Math.max(hostWidth, Picture.width(label(host))));
    }

    Picture draw() {
        for (int i = 0; i < topology.aggregations().size(); i++) {
            double top = row;
            picture.box(
                    MARGIN, top, aggregationWidth, label(topology.aggregations().get(i)), AGGREGATION);
            for (int edge = 0; edge < topology.edges().size(); edge++) {
                if (topology.edges().get(edge).above() == i) {
                    drawEdge(edge, top);
                }
            }
        }
        return picture;
    }

    private void drawEdge(int number, double aggregationTop) {
        double x = MARGIN + aggregationWidth + GAP;
        double top = row;
        picture.box(x, top, edgeWidth, label(topology.edges().get(number)), EDGE);
        connect(MARGIN + aggregationWidth, aggregationTop, x, top);
        List<Topology.Host> hosts =
                topology.hosts().stream().filter(host -> host.edge() == number).toList();
        for (int i = 0; i < Math.min(hosts.size(), MOST_HOSTS); i++) {
            boolean last = i == MOST_HOSTS - 1 && hosts.size() > MOST_HOSTS;
            String text = last ? "and " + (hosts.size() - i) + " more" : label(hosts.get(i));
            picture.box(x + edgeWidth + GAP, row, hostWidth, text, HOST);
            connect(x + edgeWidth, top, x + edgeWidth + GAP, row);
            row += ROW;
        }
        row += ROW / 2;
    }

    private void connect(double fromX, double fromTop, double toX, double toTop) {
        picture.line(fromX, fromTop + Picture.BOX / 2, toX, toTop + Picture.BOX / 2);
    }

    private static String label(Topology.Switch device) {
        return device.name() + ", " + rates(device.uplink(), device.downlink());
    }

    private static String label(Topology.Host host) {
        return host.name() + ", " + rates(host.uplink(), host.downlink());
    }

    private static String rates(double uplink, double downlink) {
        return uplink == downlink ? Rate.text(uplink) : Rate.text(uplink) + " up, " + Rate.text(downlink) + " down";
    }
}
