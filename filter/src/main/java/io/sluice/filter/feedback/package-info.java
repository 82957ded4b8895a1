/** What the filters ask of the network, and who may answer. */
package io.sluice.filter.feedback;
