/** The interfaces of planners that users implement. */
package io.sluice.tree.spi;
