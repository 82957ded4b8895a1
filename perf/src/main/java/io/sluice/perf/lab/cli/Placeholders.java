package io.sluice.perf.lab.cli;

import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Placeholders in a command that differ between hosts: {@code {host}}, {@code {hosts}}, {@code {address}}, {@code
 * {address:N}}. All other braces stay unchanged.
 */
final class Placeholders {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(host|hosts|address|address:(\\d{1,4}))}");

    private final LabPlan plan;

    Placeholders(LabPlan plan) {
        this.plan = plan;
    }

    /** Replaces the placeholders for a host; rejects addresses of unknown hosts. */
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
