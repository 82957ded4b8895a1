/** Where the time of a job goes, and what changes would gain ({@code sluice advise}). */
package io.sluice.cli.advise;
