/**
 * Tables, their slices, and which server owns which slice.
 *
 * <p>A placement is a pure function of the tables and the number of servers, so every node computes it for itself and
 * no slice map is sent.
 */
package io.sluice.consistency.placement;
