/** Broadcast trees. Programs use topologies, and what a planner of their own implements and is given. */
@SuppressWarnings({"module", "requires-automatic"}) // modules named below compile later
module io.sluice.tree {
    requires transitive io.sluice.messaging;
    requires org.agrona;
    requires static com.fasterxml.jackson.dataformat.yaml;
    requires static com.fasterxml.jackson.databind;
    requires static com.fasterxml.jackson.core;

    uses io.sluice.tree.spi.TreePlannerProvider;

    exports io.sluice.tree.spi;
    exports io.sluice.tree.topology;
    exports io.sluice.tree to
            io.sluice.consistency;
    exports io.sluice.tree.planning to
            io.sluice.consistency;
}
