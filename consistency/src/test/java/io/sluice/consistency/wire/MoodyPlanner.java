package io.sluice.consistency.wire;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.spi.TreePlannerProvider;

/** An inconsistent planner: its plans on the thread of one worker differ from those on all others. */
public final class MoodyPlanner implements TreePlannerProvider {
    /** The thread of the worker whose plans differ, as test clusters name it. */
    private static final String ODD_THREAD = "test worker 2";

    @Override
    public String configName() {
        return "moody";
    }

    @Override
    public String form() {
        return configName();
    }

    @Override
    public TreePlanner create(PolicySpec spec) {
        return new TreePlanner() {
            @Override
            public Forest plan(BroadcastJob job) {
                boolean odd = Thread.currentThread().getName().equals(ODD_THREAD);
                return TreePlanners.named(odd ? "chain" : "shared:2").plan(job);
            }

            @Override
            public String name() {
                return configName();
            }
        };
    }
}
