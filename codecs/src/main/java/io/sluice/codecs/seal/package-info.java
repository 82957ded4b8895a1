/**
 * Who may come in, and who sent what: the cluster's secret, the proofs by which nodes show one another that they know
 * it, and frames sealed with keys made of it. All cryptography of Sluice is here, and all of it is the JDK's.
 *
 * <p>{@code docs/decisions/0011-secret-and-seal.md} says what is promised and what not; {@code docs/protocol.md} has
 * every byte.
 */
package io.sluice.codecs.seal;
