package io.sluice.perf.lab;

import io.sluice.messaging.LinkRate;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Traffic between two hosts that does not belong to the job.
 *
 * @param rate maximum rate in bits per second, all headers included
 * @param start time after the start of the job
 * @param duration duration of the traffic; empty for the whole job
 */
public record CrossFlow(int from, int to, long rate, Protocol protocol, Duration start, Optional<Duration> duration) {
    private static final Pattern FLOW = Pattern.compile(
            "(\\d{1,4})-(\\d{1,4}):([^@+/]+)(?:/(udp|tcp))?(?:@([^+]+))?(?:\\+(.+))?", Pattern.CASE_INSENSITIVE);

    /** Protocols of cross traffic. */
    public enum Protocol {
        /** Datagrams of the maximum length, sent regardless of losses. */
        UDP,
        /** One TCP connection, which shares a full link fairly. */
        TCP
    }

    /** Checks the fields that do not depend on a lab. */
    public CrossFlow {
        if (from == to) {
            throw new IllegalArgumentException("cross traffic from host " + from + " to itself uses no link");
        }
        TokenBucket.check("rate of cross traffic", rate);
    }

    /** A flow of datagrams from now until the end of the lab. */
    public static CrossFlow udp(int from, int to, long rate) {
        return new CrossFlow(from, to, rate, Protocol.UDP, Duration.ZERO, Optional.empty());
    }

    /**
     * Parses a flow.
     *
     * @param text such as {@code 0-1:100mbit}, {@code 0-1:100mbit/tcp} or {@code 0-1:100mbit@5s+10s}: from 5 s on, for
     *     10 s
     */
    public static CrossFlow parse(String setting, String text) {
        Matcher matcher = FLOW.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(setting + " is '" + text
                    + "', expected FROM-TO:RATE[/udp|/tcp][@START][+DURATION] such as 0-1:100mbit@5s+10s");
        }
        Protocol protocol = Optional.ofNullable(matcher.group(4))
                .map(word -> Protocol.valueOf(word.toUpperCase(Locale.ROOT)))
                .orElse(Protocol.UDP);
        return new CrossFlow(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                LinkRate.parse(setting, matcher.group(3)),
                protocol,
                Optional.ofNullable(matcher.group(5))
                        .map(at -> LabEvent.time(setting, at))
                        .orElse(Duration.ZERO),
                Optional.ofNullable(matcher.group(6)).map(time -> LabEvent.time(setting, time)));
    }

    @Override
    public String toString() {
        return "cross traffic " + from + "-" + to + " " + TokenBucket.text(rate) + " "
                + protocol.name().toLowerCase(Locale.ROOT);
    }
}
