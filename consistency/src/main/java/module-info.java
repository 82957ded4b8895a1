/** Tables, workers and servers for trainers to embed. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.sluice.consistency {
    requires transitive io.sluice.codecs;
    requires transitive io.sluice.filter;
    requires transitive io.sluice.messaging;
    requires transitive io.sluice.tree;
    requires transitive org.agrona;
    requires io.aeron.client;
    requires io.aeron.driver;
    requires org.lz4.java;
    requires static io.aeron.archive;
    requires static io.aeron.cluster;

    uses io.sluice.consistency.spi.ConsistencyRuleProvider;
    uses io.sluice.consistency.spi.FactorSelectionProvider;
    uses io.sluice.consistency.spi.PlacementStrategyProvider;
    uses io.sluice.consistency.spi.UpdateRuleProvider;

    exports io.sluice.consistency.factors.expression;
    exports io.sluice.consistency.local;
    exports io.sluice.consistency.node;
    exports io.sluice.consistency.replica;
    exports io.sluice.consistency.server;
    exports io.sluice.consistency.spi;
    exports io.sluice.consistency.terms;
    exports io.sluice.consistency.worker;
}
