/**
 * The queue above a link, which Aeron leaves to its users: it sends waiting frames in the order of their importance
 * ({@link io.sluice.messaging.spi.SliceOrder}), within a budget ({@link io.sluice.messaging.flow.TokenBucket}),
 * from memory that is fixed at the start ({@link io.sluice.messaging.outbox.Outbox}).
 *
 * <p>Frames in Aeron's log cannot be overtaken, so a link with an outbox keeps its log short:
 * {@link io.sluice.messaging.Channels#shortened}.
 *
 * <p>The package has slots of bytes, lanes with an order of their own, and numbers that state how urgent a slot is. It
 * does not depend on tables, rounds or filters: the caller writes sequence numbers and seals when it sends, because the
 * order is known only then.
 */
package io.sluice.messaging.outbox;
