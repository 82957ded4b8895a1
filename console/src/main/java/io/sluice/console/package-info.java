/** What the command lines of Sluice share: messages about command lines that are wrong. */
package io.sluice.console;
