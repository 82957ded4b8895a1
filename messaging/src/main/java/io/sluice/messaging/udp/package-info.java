/** Batched I/O for the media driver's UDP sockets: endpoints that replace Aeron's where the kernel supports batches. */
package io.sluice.messaging.udp;
