/** Where a job spends its time, and what changes would save ({@code sluice advise}). */
package io.sluice.cli.advise;
