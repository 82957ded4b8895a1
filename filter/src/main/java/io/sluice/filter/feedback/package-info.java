/** The state of the network that filters use, and its sources. */
package io.sluice.filter.feedback;
