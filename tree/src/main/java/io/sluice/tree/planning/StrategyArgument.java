package io.sluice.tree.planning;

/**
 * The argument after the colon of a strategy's name: {@code T} or {@code T,H}.
 *
 * @param degree maximum number of children of a host in one tree, 1 to {@value #MOST}
 * @param depth  maximum number of hops from a server to a worker; 0 for as many as it takes
 */
record StrategyArgument(int degree, int depth) {
    private static final int MOST = 100_000;

    /** Refuses any argument. */
    static void none(String argument) {
        if (!argument.isEmpty()) {
            throw new IllegalArgumentException("it takes no '" + argument + "'");
        }
    }

    /** Reads an argument; an empty text or part gives the default. */
    static StrategyArgument of(String argument, int degree, int depth) {
        if (argument.isEmpty()) {
            return new StrategyArgument(degree, depth);
        }
        String[] parts = argument.split(",", -1);
        if (parts.length > 2) {
            throw new IllegalArgumentException("it takes T and H, not '" + argument + "'");
        }
        return new StrategyArgument(
                number("T (children)", parts[0]), parts.length > 1 ? number("H (depth)", parts[1]) : depth);
    }

    private static int number(String what, String text) {
        int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MOST) {
            throw new IllegalArgumentException(what + " is '" + text + "', which is not in 1 to " + MOST);
        }
        return number;
    }
}
