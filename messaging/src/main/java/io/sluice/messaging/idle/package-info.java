/** How threads of drivers and nodes sleep while there is nothing to do, and how they wake one another. */
package io.sluice.messaging.idle;
