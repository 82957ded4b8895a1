/** How long a frame takes from hop to hop, and a control frame to the deepest leaf and back, over lab links. */
package io.sluice.perf.hops;
