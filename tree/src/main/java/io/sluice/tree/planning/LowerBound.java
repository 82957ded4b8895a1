package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.List;

/**
 * A lower bound on the duration of any plan. It is the largest of these times: each server sends its shard once; each
 * site receives what it needs; all uplinks together send all copies; the data that sites on the other side of a switch
 * need crosses it once. Hosts also send and receive the job's pushes; at switches the bound leaves them out.
 *
 * @param seconds the bound
 * @param reason  the limit that determines it, as text
 */
public record LowerBound(double seconds, String reason) {
    /** Computes the bound of a job. */
    public static LowerBound of(BroadcastJob job) {
        LowerBound bound = new LowerBound(0, "there is nothing to send");
        double copies = 0;
        double uplinks = 0;
        double[] sent = new double[job.sites()];
        double[] pushed = new double[job.sites()];
        for (int shard = 0; shard < job.shards(); shard++) {
            if (job.receivers(shard) > 0) {
                sent[job.root(shard)] += job.shardBytes(shard);
                copies += (double) job.receivers(shard) * job.shardBytes(shard);
            }
            for (int site = 0; job.hasPushes() && site < job.sites(); site++) {
                long bytes = job.pushBytes(shard, site);
                sent[site] += bytes;
                copies += bytes;
                pushed[job.root(shard)] += bytes;
            }
        }
        for (int site = 0; site < sent.length; site++) {
            double received = pushed[site];
            for (int shard = 0; shard < job.shards(); shard++) {
                received += job.receives(shard, site) ? job.shardBytes(shard) : 0;
            }
            uplinks += job.uplink(site);
            bound = bound.or(sent[site] / job.uplink(site), "host " + job.name(site) + " sends once");
            bound = bound.or(received / job.downlink(site), "host " + job.name(site) + " receives once");
        }
        bound = bound.or(copies / uplinks, "the total bytes to send, divided by the total rate of all uplinks");
        int[] edges = new int[job.sites()];
        int[] aggregations = new int[job.sites()];
        Arrays.setAll(edges, job::edge);
        Arrays.setAll(aggregations, job::aggregation);
        bound = bound.or(of(job, "edge ", job.topology().edges(), edges));
        return bound.or(of(job, "aggregation ", job.topology().aggregations(), aggregations));
    }

    private static LowerBound of(BroadcastJob job, String kind, List<Topology.Switch> switches, int[] groups) {
        double[] in = new double[switches.size()];
        double[] out = new double[switches.size()];
        boolean[] needs = new boolean[switches.size()];
        for (int shard = 0; shard < job.shards(); shard++) {
            Arrays.fill(needs, false);
            int home = groups[job.root(shard)];
            boolean leaves = false;
            for (int site = 0; site < groups.length; site++) {
                if (job.receives(shard, site) && groups[site] != home) {
                    leaves = true;
                    needs[groups[site]] = true;
                }
            }
            out[home] += leaves ? job.shardBytes(shard) : 0;
            for (int i = 0; i < needs.length; i++) {
                in[i] += needs[i] ? job.shardBytes(shard) : 0;
            }
        }
        LowerBound bound = new LowerBound(0, "");
        for (int i = 0; i < in.length; i++) {
            Topology.Switch device = switches.get(i);
            bound = bound.or(
                    in[i] / device.downlink(), "what is needed below " + kind + device.name() + " enters once");
            bound = bound.or(
                    out[i] / device.uplink(), "what is needed beyond " + kind + device.name() + " leaves once");
        }
        return bound;
    }

    private LowerBound or(double other, String why) {
        return or(new LowerBound(other, why));
    }

    private LowerBound or(LowerBound other) {
        return other.seconds > seconds ? other : this;
    }
}
