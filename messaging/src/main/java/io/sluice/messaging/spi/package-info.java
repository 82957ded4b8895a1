/** The interfaces of orders that users implement. */
package io.sluice.messaging.spi;
