package io.sluice.filter.kernel;

/**
 * One step of the filter in one pass over memory (equations 6 and 10 of the Parameter Flow paper):
 * {@code v = residual + update}; if {@code |v| > threshold}, v is appended to the values, its bit is set in the bitmap,
 * and the residual becomes 0; otherwise the residual becomes v.
 *
 * <p>With rounding to bfloat16, q is appended, still as an f32: v rounded to the nearest even of its upper 16 bits. The
 * residual becomes {@code v - q}, which is exact. A v beyond {@link #GREATEST_BF16}, infinite or NaN stays in the
 * residual: updates to be rounded must be checked before.
 *
 * <p>Without rounding a NaN or an infinity is above every threshold: it is sent, and so never remains in the residual.
 * The kernel that adds the value to a sum finds it, see {@link AddKernel}. A signalling NaN may become quiet. Neither
 * the language nor the processors define which payload the sum of <em>two</em> NaNs has; otherwise twins agree to the
 * bit.
 */
public interface ThresholdKernel {
    /** The greatest finite bfloat16, about 3.39e38. */
    float GREATEST_BF16 = 0x1.FEp127f;

    /**
     * Filters an update in native memory.
     *
     * @param update address of the first element
     * @param residual address of the first element; read and written
     * @param elements 0 or more
     * @param threshold 0 or more
     * @param bf16 whether to round what is kept to bfloat16
     * @param bitmap address of the first of {@code ceil(elements / 64)} words, all of which are written
     * @param values address of the first value; f32 for all {@code elements} are scratch space from there
     * @return number of values kept
     */
    int filter(long update, long residual, int elements, float threshold, boolean bf16, long bitmap, long values);

    /**
     * Filters a residual into which updates have been summed directly: v = residual.
     *
     * @param residual address of the first element; read and written
     * @param elements 0 or more
     * @param threshold 0 or more
     * @param bf16 whether to round what is kept to bfloat16
     * @param bitmap address of the first of {@code ceil(elements / 64)} words, all of which are written
     * @param values address of the first value; f32 for all {@code elements} are scratch space from there
     * @return number of values kept
     */
    int filterResidual(long residual, int elements, float threshold, boolean bf16, long bitmap, long values);
}
