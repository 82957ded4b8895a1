/** What the command lines of Sluice share: messages about wrong command lines, and exit codes. */
package io.sluice.console;
