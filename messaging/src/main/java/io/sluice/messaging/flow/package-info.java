/**
 * What Sluice adds to Aeron's media driver: how much of a stream may be on its way, seen from the receiver
 * ({@link io.sluice.messaging.flow.SharedWindows}) and from the sender
 * ({@link io.sluice.messaging.flow.LinkFlowControls}). Runs on the driver's threads.
 */
package io.sluice.messaging.flow;
