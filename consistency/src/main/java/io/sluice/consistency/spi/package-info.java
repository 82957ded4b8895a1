/** What a user implements to change how servers treat pushes. */
package io.sluice.consistency.spi;
