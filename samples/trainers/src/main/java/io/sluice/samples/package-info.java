/** What the sample trainers have in common: the fingerprint of a model, and the listener of a reference. */
package io.sluice.samples;
