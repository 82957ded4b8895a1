/**
 * {@code sluice perf managed}: Boesen's experiment (Wei et al. 2015, section 5.1), the loss over clocks with slices
 * that are sent before their clock ends, in several orders and at several budgets, against end-of-clock communication.
 */
package io.sluice.perf.managed;
