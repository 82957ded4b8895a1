/**
 * The server of a shard. It sums pushes slice by slice. When the consistency rule allows, each slice is broadcast to
 * all workers as a filtered update or, under push-pull, added to the parameters that workers request.
 *
 * <p>All of it runs on one thread, in duty cycles of {@link io.sluice.consistency.server.ServerAgent}. Pushes are
 * always processed, even while the broadcast of the last round waits for a slow reader. So a slow reader never blocks a
 * writer, and the two directions cannot deadlock.
 */
package io.sluice.consistency.server;
