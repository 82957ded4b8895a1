/** Functions of the C library on Linux. */
package io.sluice.messaging.linux;
