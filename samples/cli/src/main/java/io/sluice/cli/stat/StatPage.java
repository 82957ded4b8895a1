package io.sluice.cli.stat;

import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.CounterType.Scope;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Prints the counters as tables for people, in 100 columns. */
final class StatPage {
    /** Counter types with a column in the tables; all other counters follow below the tables. */
    private static final Set<CounterType> SHOWN = EnumSet.of(
            CounterType.LINK_FRAMES_SENT,
            CounterType.LINK_BYTES_SENT,
            CounterType.LINK_STALLS,
            CounterType.LINK_CONNECTED,
            CounterType.LINK_QUEUED_FRAMES,
            CounterType.LINK_QUEUED_BYTES,
            CounterType.LINK_QUEUE_AGE,
            CounterType.LINK_BUDGET_USED,
            CounterType.LINK_BUDGET_WAIT,
            CounterType.LINK_IN_FLIGHT,
            CounterType.LINK_FRAMES_MERGED,
            CounterType.LINK_RATE,
            CounterType.INBOX_FRAMES_RECEIVED,
            CounterType.INBOX_BYTES_RECEIVED,
            CounterType.INBOX_FRAMES_DEFERRED,
            CounterType.INBOX_REJECTED,
            CounterType.DRIVER_UDP_BATCH,
            CounterType.DRIVER_DATAGRAMS_SENT,
            CounterType.DRIVER_SENDS,
            CounterType.DRIVER_DATAGRAMS_RECEIVED,
            CounterType.DRIVER_RECEIVES,
            CounterType.DRIVER_SEND_FAILURES,
            CounterType.DRIVER_RECEIVE_FAILURES,
            CounterType.AGENT_MAX_CYCLE,
            CounterType.AGENT_SLOW_CYCLES,
            CounterType.AGENT_WORK,
            CounterType.NODE_CLOCK,
            CounterType.NODE_EPOCH,
            CounterType.NODE_THRESHOLD,
            CounterType.NODE_ELEMENTS_OFFERED,
            CounterType.NODE_ELEMENTS_KEPT,
            CounterType.NODE_ELEMENTS_TAKEN_BACK,
            CounterType.NODE_BYTES_SAVED,
            CounterType.NODE_PUSH_TIME,
            CounterType.NODE_WAIT_TIME);

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

    private final PrintWriter out;
    private final Sight sight;

    StatPage(PrintWriter out, Sight sight) {
        this.out = out;
        this.sight = sight;
    }

    void print(DriverView driver) {
        long upS = (System.currentTimeMillis() - driver.startMs()) / 1_000;
        out.printf(
                "%s  media driver in %s, process %d, up %d s%n",
                LocalTime.now().format(TIME), driver.directory(), driver.processId(), upS);
        printDriver();
        sight.all(Scope.DRIVER).forEach(this::printDatagrams);
        if (sight.isIdle()) {
            out.printf("%nno servers or workers at this driver%n");
        } else {
            printNodes();
            printLinks();
            printOutboxes();
            printInboxes();
            printAgents();
            printMore();
        }
        out.flush();
    }

    private void printDriver() {
        CounterReading all = sight.reading();
        out.printf(
                "sent %sB, received %sB; retransmits %s (%sB), NAKs %s out, %s in, loss gaps %s%n",
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_BYTES_SENT)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_BYTES_RECEIVED)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITS_SENT)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITTED_BYTES)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_NAK_MESSAGES_SENT)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_NAK_MESSAGES_RECEIVED)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_LOSS_GAP_FILLS)));
        out.printf(
                "errors %s, short sends %s, sender limited %s, dead clients %s, longest cycle %s%n",
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_ERRORS)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_SHORT_SENDS)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_SENDER_FLOW_CONTROL_LIMITS)),
                Amount.of(all.system(AeronCounters.SYSTEM_COUNTER_ID_CLIENT_TIMEOUTS)),
                Amount.time(all.system(AeronCounters.SYSTEM_COUNTER_ID_CONDUCTOR_MAX_CYCLE_TIME)));
    }

    private void printDatagrams(CountedObject driver) {
        out.printf(
                "UDP batches %s: %s datagrams a send, %s a receive; batches not sent %s, receive errors %s%n",
                String.join(
                        ", ",
                        driver.counters().get(CounterType.DRIVER_UDP_BATCH).keySet()),
                ratio(driver, CounterType.DRIVER_DATAGRAMS_SENT, CounterType.DRIVER_SENDS),
                ratio(driver, CounterType.DRIVER_DATAGRAMS_RECEIVED, CounterType.DRIVER_RECEIVES),
                Amount.of(driver.sum(CounterType.DRIVER_SEND_FAILURES)),
                Amount.of(driver.sum(CounterType.DRIVER_RECEIVE_FAILURES)));
    }

    private static String ratio(CountedObject object, CounterType above, CounterType below) {
        return Amount.of((double) object.sum(above) / object.sum(below));
    }

    private void printNodes() {
        out.printf(
                "%n%-20s %9s %8s %6s %9s %12s %9s %8s %8s%n",
                "node", "clock", "clock/s", "epoch", "kept", "threshold", "saved B", "push", "wait");
        for (CountedObject node : sight.all(Scope.NODE)) {
            long offered = node.sum(CounterType.NODE_ELEMENTS_OFFERED);
            long threshold = node.sum(CounterType.NODE_THRESHOLD);
            out.printf(
                    "%-20.20s %9d %8s %6d %9s %12s %9s %8s %8s%n",
                    node.name(),
                    node.sum(CounterType.NODE_CLOCK),
                    Amount.of(sight.rate(node, CounterType.NODE_CLOCK)),
                    node.sum(CounterType.NODE_EPOCH),
                    offered == 0 ? "-" : "%.3f %%".formatted(100.0 * kept(node) / offered),
                    threshold == 0 ? "-" : "%.4g".formatted(threshold / 1e9),
                    Amount.of(node.sum(CounterType.NODE_BYTES_SAVED)),
                    share(node, CounterType.NODE_PUSH_TIME),
                    share(node, CounterType.NODE_WAIT_TIME));
        }
    }

    private static long kept(CountedObject node) {
        return node.sum(CounterType.NODE_ELEMENTS_KEPT) - node.sum(CounterType.NODE_ELEMENTS_TAKEN_BACK);
    }

    /** A share of the time since the last refresh. */
    private String share(CountedObject object, CounterType time) {
        double rate = sight.rate(object, time);
        return Double.isNaN(rate) || !has(object, time) ? "-" : "%.0f %%".formatted(rate / 1e7);
    }

    private void printLinks() {
        out.printf(
                "%n%-38s %8s %8s %8s %8s %8s %7s %6s%n",
                "link", "frames", "bytes", "bytes/s", "refused", "in log", "NAKs", "peer");
        for (CountedObject link : sight.all(Scope.LINK)) {
            out.printf(
                    "%-38.38s %8s %8s %8s %8s %8s %7s %6s%n",
                    title(link),
                    Amount.of(link.sum(CounterType.LINK_FRAMES_SENT)),
                    Amount.of(link.sum(CounterType.LINK_BYTES_SENT)),
                    Amount.of(sight.rate(link, CounterType.LINK_BYTES_SENT)),
                    Amount.of(link.sum(CounterType.LINK_STALLS)),
                    Amount.of(sight.reading().unsent(link.first())),
                    Amount.of(sight.reading()
                            .ofPublication(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, link.first())),
                    link.sum(CounterType.LINK_CONNECTED) == 1 ? "yes" : "no");
        }
    }

    /** Prints more figures of links above which frames may wait, and of links over the network. */
    private void printOutboxes() {
        List<CountedObject> watched = sight.all(Scope.LINK).stream()
                .filter(link -> has(link, CounterType.LINK_QUEUED_FRAMES) || has(link, CounterType.LINK_RATE))
                .toList();
        if (watched.isEmpty()) {
            return;
        }
        out.printf(
                "%n%-38s %6s %7s %8s %7s %6s %7s %6s %7s%n",
                "outbox", "queued", "bytes", "oldest", "budget", "held", "flying", "merged", "rate/s");
        for (CountedObject link : watched) {
            out.printf(
                    "%-38.38s %6s %7s %8s %7s %6s %7s %6s %7s%n",
                    title(link),
                    amount(link, CounterType.LINK_QUEUED_FRAMES),
                    amount(link, CounterType.LINK_QUEUED_BYTES),
                    has(link, CounterType.LINK_QUEUE_AGE) ? Amount.time(link.sum(CounterType.LINK_QUEUE_AGE)) : "-",
                    amount(link, CounterType.LINK_BUDGET_USED),
                    share(link, CounterType.LINK_BUDGET_WAIT),
                    amount(link, CounterType.LINK_IN_FLIGHT),
                    amount(link, CounterType.LINK_FRAMES_MERGED),
                    link.sum(CounterType.LINK_RATE) == 0 ? "-" : amount(link, CounterType.LINK_RATE));
        }
    }

    private static boolean has(CountedObject object, CounterType type) {
        return object.counters().containsKey(type);
    }

    private static String amount(CountedObject object, CounterType type) {
        return has(object, type) ? Amount.of(object.sum(type)) : "-";
    }

    private void printInboxes() {
        out.printf(
                "%n%-38s %8s %8s %8s %8s %8s %7s %7s%n",
                "inbox", "frames", "bytes", "bytes/s", "rejected", "deferred", "NAKs", "senders");
        for (CountedObject inbox : sight.all(Scope.INBOX)) {
            out.printf(
                    "%-38.38s %8s %8s %8s %8s %8s %7s %7d%n",
                    title(inbox),
                    Amount.of(inbox.sum(CounterType.INBOX_FRAMES_RECEIVED)),
                    Amount.of(inbox.sum(CounterType.INBOX_BYTES_RECEIVED)),
                    Amount.of(sight.rate(inbox, CounterType.INBOX_BYTES_RECEIVED)),
                    Amount.of(inbox.sum(CounterType.INBOX_REJECTED)),
                    Amount.of(inbox.sum(CounterType.INBOX_FRAMES_DEFERRED)),
                    Amount.of(sight.reading().ofImages(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, inbox.first())),
                    sight.reading().images(inbox.first()));
            Map<String, Long> reasons = inbox.counters().getOrDefault(CounterType.INBOX_REJECTED, Map.of());
            reasons.forEach((reason, count) -> out.printf("    %d rejected: %s%n", count, reason));
        }
    }

    private void printAgents() {
        out.printf("%n%-38s %10s %8s %10s %10s%n", "agent", "longest", "slow", "work", "work/s");
        for (CountedObject agent : sight.all(Scope.AGENT)) {
            out.printf(
                    "%-38.38s %10s %8s %10s %10s%n",
                    title(agent),
                    Amount.time(agent.sum(CounterType.AGENT_MAX_CYCLE)),
                    Amount.of(agent.sum(CounterType.AGENT_SLOW_CYCLES)),
                    Amount.of(agent.sum(CounterType.AGENT_WORK)),
                    Amount.of(sight.rate(agent, CounterType.AGENT_WORK)));
        }
    }

    /**
     * The title of an object: its name after that of its node, unless the name contains the node, or the object is the
     * coordinator's.
     */
    private static String title(CountedObject object) {
        boolean suffices =
                object.name().contains(object.node()) || object.name().contains("coordinator to ");
        return suffices ? object.name() : object.node() + " " + object.name();
    }

    private void printMore() {
        boolean headed = false;
        for (Scope scope : Scope.values()) {
            for (CountedObject object : sight.all(scope)) {
                for (CounterType type : object.counters().keySet()) {
                    if (!SHOWN.contains(type)) {
                        out.print(headed ? "" : "%nother counters%n".formatted());
                        headed = true;
                        out.printf("%-38.38s %-40.40s %18d%n", title(object), type.text(), object.sum(type));
                    }
                }
            }
        }
    }
}
