/** Filters. Programs use what a filter of their own implements and is given; the kernels are internal. */
@SuppressWarnings("module") // modules named below compile later
module io.sluice.filter {
    requires transitive io.sluice.codecs;
    requires jdk.incubator.vector;

    uses io.sluice.filter.spi.FilterPolicyProvider;

    exports io.sluice.filter.spi;
    exports io.sluice.filter to
            io.sluice.consistency;
    exports io.sluice.filter.feedback to
            io.sluice.consistency;
    exports io.sluice.filter.kernel to
            io.sluice.consistency;
    exports io.sluice.filter.policy to
            io.sluice.consistency;
}
