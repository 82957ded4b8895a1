/** The counters as Micrometer meters. Needs {@code io.micrometer:micrometer-core}, which only users of it bring. */
package io.sluice.messaging.micrometer;
