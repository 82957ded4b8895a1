/** What the sample trainers have in common: the fingerprint of a model, and who listens to a reference. */
package io.sluice.samples;
