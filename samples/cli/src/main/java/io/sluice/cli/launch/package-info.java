/**
 * A whole cluster on one host: the media driver in this process, servers and workers as child processes that report in
 * JSON lines on their standard output.
 */
package io.sluice.cli.launch;
