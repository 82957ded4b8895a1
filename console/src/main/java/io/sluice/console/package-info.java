/** What the command lines of Sluice share: messages about command lines that are wrong, and how they end. */
package io.sluice.console;
