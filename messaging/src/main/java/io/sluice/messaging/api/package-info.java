/** Addresses, budgets and errors of messaging. */
package io.sluice.messaging.api;
