/**
 * The trial of a cluster of many processes: they are killed, paused, cut off, robbed of disk space and shouted at by
 * strangers, and must come to the same bits as if nothing had happened.
 */
package io.sluice.trials.chaos;
