/**
 * The data that the sample trainers learn from: a shipped corpus of e-mails, and text files in libsvm's format.
 *
 * <p>Both come as a {@link io.sluice.samples.data.Dataset}: sparse labelled examples, split into a part to learn from
 * and a part held out. A fault in a file is reported with a {@link io.sluice.samples.data.DataFormatException}.
 */
package io.sluice.samples.data;
