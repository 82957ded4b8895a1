/** What an order of a user implements. */
package io.sluice.messaging.spi;
