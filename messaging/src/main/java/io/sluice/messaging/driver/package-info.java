/** The media driver of a host, for programs that run it themselves. */
package io.sluice.messaging.driver;
