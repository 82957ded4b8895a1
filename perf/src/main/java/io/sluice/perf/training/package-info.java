/**
 * Training of whole models: under many combinations of policies, under update rules (Boesen, figure 3), and with
 * slices that are sent before their clock ends (Boesen; Wei et al. 2015, section 5.1). Small models are trained in one
 * process, to record their updates for measurements.
 */
package io.sluice.perf.training;
