/**
 * The wire format of Sluice: frames, blocks, compressors and checksums.
 *
 * <p>A <em>frame</em> is one message on a link: an SBE header, an envelope common to all templates, the fixed root of
 * its template and, for data, a <em>block</em> of columns. {@code sluice-schema.xml} defines the roots, from which
 * the flyweights of {@code io.sluice.codecs.sbe} are generated; {@code docs/protocol.md} explains every byte.
 *
 * <p>Bytes from a link are hostile until {@link io.sluice.codecs.FrameValidator} and, for data, {@link
 * io.sluice.codecs.DataFrameDecoder} have accepted them. Neither throws on any content: the reason to drop a frame is a
 * {@link io.sluice.codecs.Rejection}.
 *
 * <p>Nothing in this package uses sockets, threads, or a clock other than its argument, and nothing allocates per
 * frame.
 */
package io.sluice.codecs;
