/*
 * The filter's pass with compiler intrinsics: v = residual + update. Where |v| > threshold, or v is no number, v is
 * appended to the values, its bit is set in the bitmap, and the residual becomes 0; elsewhere the residual becomes v.
 * The number of elements is a multiple of 64; there is room for all of them behind the values.
 */
#include <immintrin.h>
#include <stdint.h>

static int32_t kept_lanes[256][8];

__attribute__((constructor)) static void fill_table(void) {
    for (int bits = 0; bits < 256; bits++) {
        int kept = 0;
        for (int lane = 0; lane < 8; lane++) {
            if (bits >> lane & 1) {
                kept_lanes[bits][kept++] = lane;
            }
        }
    }
}

__attribute__((target("avx2,popcnt"))) int filter_256(
        const float *update, float *residual, int elements, float threshold, uint64_t *bitmap, float *values) {
    const __m256 bound = _mm256_set1_ps(threshold);
    const __m256 sign = _mm256_set1_ps(-0.0f);
    float *value = values;
    for (int start = 0; start < elements; start += 64) {
        uint64_t word = 0;
#pragma GCC unroll 8
        for (int part = 0; part < 64; part += 8) {
            float *r = residual + start + part;
            __m256 v = _mm256_add_ps(_mm256_loadu_ps(r), _mm256_loadu_ps(update + start + part));
            __m256 kept = _mm256_cmp_ps(_mm256_andnot_ps(sign, v), bound, _CMP_NLE_UQ);
            unsigned bits = (unsigned) _mm256_movemask_ps(kept);
            _mm256_storeu_ps(r, _mm256_andnot_ps(kept, v));
            __m256i lanes = _mm256_loadu_si256((const __m256i *) kept_lanes[bits]);
            _mm256_storeu_ps(value, _mm256_permutevar8x32_ps(v, lanes));
            value += __builtin_popcount(bits);
            word |= (uint64_t) bits << part;
        }
        *bitmap++ = word;
    }
    return (int) (value - values);
}

__attribute__((target("avx512f,popcnt"))) int filter_512(
        const float *update, float *residual, int elements, float threshold, uint64_t *bitmap, float *values) {
    const __m512 bound = _mm512_set1_ps(threshold);
    float *value = values;
    for (int start = 0; start < elements; start += 64) {
        uint64_t word = 0;
#pragma GCC unroll 4
        for (int part = 0; part < 64; part += 16) {
            float *r = residual + start + part;
            __m512 v = _mm512_add_ps(_mm512_loadu_ps(r), _mm512_loadu_ps(update + start + part));
            __mmask16 kept = _mm512_cmp_ps_mask(_mm512_abs_ps(v), bound, _CMP_NLE_UQ);
            _mm512_storeu_ps(r, _mm512_maskz_mov_ps(_mm512_knot(kept), v));
            _mm512_storeu_ps(value, _mm512_maskz_compress_ps(kept, v));
            value += __builtin_popcount(kept);
            word |= (uint64_t) kept << part;
        }
        *bitmap++ = word;
    }
    return (int) (value - values);
}
