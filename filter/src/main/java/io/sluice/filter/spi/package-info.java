/** What a filter of a user implements, and what it is given. */
package io.sluice.filter.spi;
