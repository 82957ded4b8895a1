/** The trainer of {@code sluice train cnn}. */
package io.sluice.djl.cnn;
