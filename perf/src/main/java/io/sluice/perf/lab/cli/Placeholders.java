package io.sluice.perf.lab.cli;

import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What differs from host to host in a command: {@code {host}}, {@code {hosts}}, {@code {address}}, {@code {address:N}}.
 * All other braces are the command's own.
 */
final class Placeholders {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(host|hosts|address|address:(\\d{1,4}))}");

    private final LabPlan plan;

    Placeholders(LabPlan plan) {
        this.plan = plan;
    }

    /** Fills them in for a host; refuses addresses of hosts that there are not. */
    String fill(String word, int host) {
        return PLACEHOLDER
                .matcher(word)
                .replaceAll(match -> Matcher.quoteReplacement(
                        switch (match.group(1)) {
                            case "host" -> Integer.toString(host);
                            case "hosts" -> Integer.toString(plan.hosts());
                            case "address" -> Host.address(host);
                            default -> address(match.group(), Integer.parseInt(match.group(2)));
                        }));
    }

    private String address(String placeholder, int host) {
        plan.checkName(placeholder, LinkName.host(host));
        return Host.address(host);
    }
}
