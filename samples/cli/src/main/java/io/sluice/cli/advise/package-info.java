/** What takes the time of a job, and what changes would save ({@code sluice advise}). */
package io.sluice.cli.advise;
