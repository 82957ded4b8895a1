/** What a planner of a user implements, and what it is given. */
package io.sluice.tree.spi;
