/**
 * The counters as Micrometer meters. Needs {@code io.micrometer:micrometer-core}, which only programs that use this
 * package must supply.
 */
package io.sluice.messaging.micrometer;
