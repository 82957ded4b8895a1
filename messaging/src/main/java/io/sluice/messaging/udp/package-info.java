/** The media driver's UDP sockets, in batches: endpoints that take the place of Aeron's where the kernel can do it. */
package io.sluice.messaging.udp;
