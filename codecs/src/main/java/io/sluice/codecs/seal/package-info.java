/**
 * Authentication and encryption: the cluster's secret, the proofs that nodes have it, and frames sealed with keys
 * derived from it. All cryptography of Sluice is in this package and uses the JDK.
 *
 * <p>{@code docs/decisions/0010-seal.md} states what is guaranteed and what is not; {@code docs/protocol.md}
 * has every byte.
 */
package io.sluice.codecs.seal;
