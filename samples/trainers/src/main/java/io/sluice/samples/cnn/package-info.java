/** Convolutional networks on images: what the command line needs of the module that trains them. */
package io.sluice.samples.cnn;
