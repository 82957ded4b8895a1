/**
 * The server of a shard: sums what workers push, slice by slice, and when the consistency rule allows hands each slice
 * on: as a filtered update broadcast to all, or, under push-pull, into the parameters that workers ask for.
 *
 * <p>All of it runs on one thread, in duty cycles of {@link io.sluice.consistency.server.ServerAgent}. Pushes are
 * always taken in, whether or not the broadcast of the last round could be sent, so a server that waits for a slow
 * reader never holds up a writer, and the two directions cannot lock one another.
 */
package io.sluice.consistency.server;
