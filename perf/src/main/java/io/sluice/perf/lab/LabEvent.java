package io.sluice.perf.lab;

import io.sluice.messaging.LinkRate;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.SystemUtil;

/**
 * A change of a link at a time.
 *
 * @param at time after the start of the job
 * @param rate bits per second, for a change of the rate; otherwise 0
 */
public record LabEvent(Duration at, Change change, LinkName link, long rate) {
    private static final Pattern EVENT =
            Pattern.compile("([^:]+):(rate|uplink|downlink|cut|restore):([^=]+)(?:=(.+))?", Pattern.CASE_INSENSITIVE);

    /** Kinds of changes. */
    public enum Change {
        /** The rate in both directions. */
        RATE,
        /** The rate into the network. */
        UPLINK,
        /** The rate to the host or rack. */
        DOWNLINK,
        CUT,
        /** The link is restored. */
        RESTORE;

        boolean hasRate() {
            return this != CUT && this != RESTORE;
        }
    }

    /**
     * Parses an event.
     *
     * @param text such as {@code 5s:rate:1=50mbit}, {@code 500ms:uplink:rack0=1gbit} or {@code 10s:cut:2}
     */
    public static LabEvent parse(String setting, String text) {
        Matcher matcher = EVENT.matcher(text.trim());
        if (!matcher.matches()) {
            throw refused(setting, text);
        }
        Change change = Change.valueOf(matcher.group(2).toUpperCase(Locale.ROOT));
        if (change.hasRate() != (matcher.group(4) != null)) {
            throw refused(setting, text);
        }
        long rate = 0;
        if (change.hasRate()) {
            rate = LinkRate.parse(setting, matcher.group(4));
            TokenBucket.check(setting, rate);
        }
        return new LabEvent(time(setting, matcher.group(1)), change, LinkName.parse(setting, matcher.group(3)), rate);
    }

    private static IllegalArgumentException refused(String setting, String text) {
        return new IllegalArgumentException(setting + " is '" + text
                + "', expected TIME:rate:LINK=RATE (also uplink, downlink), TIME:cut:LINK or TIME:restore:LINK,"
                + " such as 5s:rate:1=50mbit");
    }

    /** Parses a duration such as {@code 10s} or {@code 500ms}. */
    public static Duration time(String setting, String text) {
        String time = text.trim().toLowerCase(Locale.ROOT);
        try {
            long ns = SystemUtil.parseDuration(setting, time);
            // A duration without a unit would be read as nanoseconds, which is almost certainly a mistake.
            if (ns >= 0 && time.endsWith("s")) {
                return Duration.ofNanos(ns);
            }
        } catch (NumberFormatException e) {
            // One message for all invalid durations.
        }
        throw new IllegalArgumentException(setting + " is '" + text + "', expected a time such as 10s or 500ms");
    }

    /** Applies the change now. */
    public void apply(Lab lab) {
        Link target = lab.link(link);
        switch (change) {
            case RATE -> target.rate(rate);
            case UPLINK -> target.uplink(rate);
            case DOWNLINK -> target.downlink(rate);
            case CUT -> target.cut();
            case RESTORE -> target.restore();
            default -> throw new IllegalStateException("change " + change);
        }
    }

    @Override
    public String toString() {
        String what = change.name().toLowerCase(Locale.ROOT) + " " + link;
        return change.hasRate() ? what + " = " + TokenBucket.text(rate) : what;
    }
}
