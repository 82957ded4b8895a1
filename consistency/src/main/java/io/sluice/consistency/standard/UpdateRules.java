package io.sluice.consistency.standard;

import io.sluice.codecs.Providers;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.spi.UpdateRuleProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Update rules by name: those of Sluice ({@link StandardRule}) and those that users provide. */
public final class UpdateRules {
    /** The rule that adds pushes to the parameters. */
    public static final String SUM = StandardRule.SUM.configName();

    private static final Providers<UpdateRule> PROVIDERS = new Providers<>(
            "rule", "one of", List.of(StandardRule.values()), () -> ServiceLoader.load(UpdateRuleProvider.class));

    private UpdateRules() {}

    /**
     * Whether each push of a table carries a number that its rule needs: a version or a weight.
     *
     * @param text name and arguments of the rule
     */
    public static boolean tags(String text) {
        UpdateRule rule = named(text);
        return rule.revises() || rule.weighs();
    }

    /**
     * Creates the rule that a text describes.
     *
     * @param text name and arguments, as in {@code nesterov:0.7,0.9}
     * @return the rule
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no rule (the message
     *     lists them); if two providers have the same name, or one cannot be loaded
     */
    public static UpdateRule named(String text) {
        return PROVIDERS.create(text);
    }
}
