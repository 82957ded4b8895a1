/** The time of a frame from hop to hop, and of a control frame to the deepest leaf and back, over lab links. */
package io.sluice.perf.hops;
