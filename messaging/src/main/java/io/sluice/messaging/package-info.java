/**
 * Moving frames between processes over Aeron.
 *
 * <p>One {@link io.sluice.messaging.driver.Driver} runs per host. Each process connects a {@link
 * io.sluice.messaging.Transport} to it and opens {@link io.sluice.messaging.Link}s to send and {@link
 * io.sluice.messaging.Inbox}es to receive. {@link io.sluice.messaging.Channels} has the tuned Aeron channels; {@link
 * io.sluice.messaging.Liveness} detects silent peers.
 *
 * <p>This package has no notion of a clock, a table or a model: a frame is bytes that
 * {@code io.sluice.codecs.FrameValidator} finds valid.
 */
package io.sluice.messaging;
