/** A language for losses, from which the vectors of a factor table follow (Xie et al., SoCC 2018, section 3.1.1). */
package io.sluice.consistency.factors.expression;
