/**
 * Flow control that Sluice adds to Aeron's media driver, at the receiver (
 * {@link io.sluice.messaging.flow.SharedWindows}) and at the sender (
 * {@link io.sluice.messaging.flow.LinkFlowControls}). It runs on the driver's threads.
 */
package io.sluice.messaging.flow;
