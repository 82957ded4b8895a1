/**
 * The data of the sample trainers: a shipped corpus of e-mails, and text files in libsvm's format.
 *
 * <p>Both come as a {@link io.sluice.samples.data.Dataset}: sparse labelled examples, split into a training part and a
 * held-out part. A fault in a file is reported with a {@link io.sluice.samples.data.DataFormatException}.
 */
package io.sluice.samples.data;
