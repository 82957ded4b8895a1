/** {@code sluice tree}: networks and plans of broadcasts as text, JSON and pictures. */
package io.sluice.cli.tree;
