/**
 * Data-parallel training of models of the Deep Java Library. {@link io.sluice.djl.SluiceTrainer} has a whole loop;
 * {@link io.sluice.djl.SluiceParameterServer} and {@link io.sluice.djl.GatedParameterStore} are for loops of your own.
 */
package io.sluice.djl;
