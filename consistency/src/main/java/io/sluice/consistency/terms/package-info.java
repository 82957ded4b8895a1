/**
 * The agreements of all nodes of a cluster before it starts: the terms that the coordinator states, the choices that
 * they name, how nodes are numbered, and the kinds of failure.
 */
package io.sluice.consistency.terms;
