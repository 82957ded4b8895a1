/** The interfaces of filters that users implement. */
package io.sluice.filter.spi;
