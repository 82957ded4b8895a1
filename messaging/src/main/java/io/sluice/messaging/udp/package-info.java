/** The media driver's UDP sockets, in batches: endpoints that replace Aeron's where the kernel supports batches. */
package io.sluice.messaging.udp;
