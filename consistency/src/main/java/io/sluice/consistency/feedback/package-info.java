/** From what is known of the links to what the filters are told: sufficient or not, and how many bytes a clock. */
package io.sluice.consistency.feedback;
