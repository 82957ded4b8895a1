package io.sluice.perf.lab.cli;

import io.sluice.perf.lab.LinkTraffic;
import io.sluice.perf.report.TextTable;
import java.io.PrintWriter;
import java.util.List;

/** Prints the counters of all links as a table. */
final class TrafficTable {
    private static final double MBIT = 1e6;

    private TrafficTable() {}

    static void print(List<LinkTraffic> links, PrintWriter out) {
        TextTable table = new TextTable(
                1,
                "link",
                "up Mbit/s",
                "sent bytes",
                "packets",
                "dropped",
                "down Mbit/s",
                "received bytes",
                "packets",
                "dropped");
        for (LinkTraffic link : links) {
            LinkTraffic.Direction up = link.up();
            LinkTraffic.Direction down = link.down();
            table.add(
                    link.connected() ? link.link() : link.link() + " (cut)",
                    rate(up),
                    number(up.bytes()),
                    number(up.packets()),
                    number(up.dropped()),
                    rate(down),
                    number(down.bytes()),
                    number(down.packets()),
                    number(down.dropped()));
        }
        table.print(out);
        out.flush();
    }

    private static String rate(LinkTraffic.Direction direction) {
        return TextTable.share(direction.rateBits() / MBIT);
    }

    private static String number(long value) {
        return String.format("%,d", value);
    }
}
