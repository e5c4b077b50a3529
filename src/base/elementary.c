/* Elementary functions from + - * / sqrt alone. All follow one pattern: reduce the argument to a short interval as an
 * unevaluated sum of two doubles (a pair), evaluate a Taylor series there whose first left-out term is below 2^-56 of
 * the result, and add the small parts before the large one. */
#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>

#include "base/vec.h"

/* high + low, |low| at most about one unit in the last place of high. */
typedef struct pair {
    double high, low;
} pair;

/* a + b exactly, for |a| >= |b| or a = 0. */
static pair fast_sum(double a, double b) {
    double s = a + b;
    return (pair){s, b - (s - a)};
}

/* a + b exactly. */
static pair two_sum(double a, double b) {
    double s = a + b;
    double bb = s - a;
    return (pair){s, (a - (s - bb)) + (b - bb)};
}

/* a * b exactly, for sizes below 2^900 and products above 2^-900, by halves of 26 bits. */
static pair two_product(double a, double b) {
    double p = a * b;
    double ta = 134217729.0 * a, tb = 134217729.0 * b; /* 2^27 + 1 */
    double a1 = ta - (ta - a), b1 = tb - (tb - b);
    double a2 = a - a1, b2 = b - b1;
    return (pair){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static pair pair_add(pair a, pair b) {
    pair s = two_sum(a.high, b.high);
    return fast_sum(s.high, s.low + (a.low + b.low));
}

static pair pair_mul(pair a, pair b) {
    pair p = two_product(a.high, b.high);
    return fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static pair pair_div(pair a, pair b) {
    double q = a.high / b.high;
    pair p = two_product(q, b.high);
    double rest = ((a.high - p.high) - p.low) + (a.low - q * b.low);
    return fast_sum(q, rest / b.high);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n for -1022 <= n <= 1023. */
static double power_of_two(int n) {
    return from_bits((uint64_t)(n + 1023) << 52);
}

static bool is_finite(double x) {
    return x - x == 0.0;
}

static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* ---- sine, cosine, tangent --------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 uint128;

/* The bits of 2/pi behind the point, after one word of zeros. */
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

/* x = quadrant * pi/2 + r with |r| <= pi/4, the quadrant modulo 4, for finite x >= pi/4. In whole numbers: of 2/pi only
 * 192 bits matter, from those that make x * 2/pi reach 2 (higher ones give multiples of four) down to 2^-190 of it; a
 * double comes no nearer than 2^-62 to a multiple of pi/2, so r has over 70 good bits. */
static int reduce_angle(double x, pair *r) {
    uint64_t bits = bits_of(x);
    uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int exponent = (int)(bits >> 52) - 1075; /* x = mantissa * 2^exponent, exponent >= -53 */
    int start = exponent + 62;
    int word = start >> 6, shift = start & 63;
    uint64_t part[3];
    for (int k = 0; k < 3; k++) {
        part[k] = two_over_pi[word + k] << shift;
        if (shift) {
            part[k] |= two_over_pi[word + k + 1] >> (64 - shift);
        }
    }
    uint128 p0 = (uint128)mantissa * part[2];
    uint128 p1 = (uint128)mantissa * part[1] + (uint64_t)(p0 >> 64);
    uint64_t p2 = mantissa * part[0] + (uint64_t)(p1 >> 64);
    uint64_t f0 = (uint64_t)p0, f1 = (uint64_t)p1, f2 = p2;

    int quadrant = (int)(f2 >> 62);
    f2 = (f2 << 2) | (f1 >> 62);
    f1 = (f1 << 2) | (f0 >> 62);
    f0 = f0 << 2;
    double sign = 1.0;
    if (f2 >> 63) { /* beyond one half: count from the next quadrant, downwards */
        quadrant = (quadrant + 1) & 3;
        sign = -1.0;
        f0 = ~f0 + 1;
        f1 = ~f1 + (f0 == 0);
        f2 = ~f2 + (f0 == 0 && f1 == 0);
    }
    const double digit[6] = {
        (double)(f2 >> 32) * 0x1p-32,  (double)(f2 & 0xffffffffu) * 0x1p-64,
        (double)(f1 >> 32) * 0x1p-96,  (double)(f1 & 0xffffffffu) * 0x1p-128,
        (double)(f0 >> 32) * 0x1p-160, (double)(f0 & 0xffffffffu) * 0x1p-192,
    };
    pair fraction = {0.0, 0.0};
    for (int k = 0; k < 6; k++) {
        pair s = fast_sum(fraction.high, digit[k]);
        fraction = fast_sum(s.high, fraction.low + s.low);
    }
    *r = pair_mul(fraction, (pair){sign * half_pi.high, sign * half_pi.low});
    return quadrant;
}

/* Sine and cosine of r, |r| <= pi/4. */
static pair sine_kernel(pair r) {
    double z = r.high * r.high;
    double p = 1.0 / 355687428096000.0;
    p = -1.0 / 1307674368000.0 + z * p;
    p = 1.0 / 6227020800.0 + z * p;
    p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = -1.0 / 5040.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = -1.0 / 6.0 + z * p;
    return fast_sum(r.high, r.high * (z * p) + r.low * (1.0 - 0.5 * z));
}

static pair cosine_kernel(pair r) {
    double z = r.high * r.high;
    double p = 1.0 / 20922789888000.0;
    p = -1.0 / 87178291200.0 + z * p;
    p = 1.0 / 479001600.0 + z * p;
    p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = -1.0 / 720.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    pair c = fast_sum(1.0, -0.5 * z);
    return fast_sum(c.high, c.low + (z * (z * p) - r.high * r.low));
}

/* Sine and cosine of a finite x as pairs. */
static void sincos_pairs(double x, pair *sine, pair *cosine) {
    double size = fabs(x);
    pair r = {size, 0.0};
    int quadrant = size > 0.5 * half_pi.high ? reduce_angle(size, &r) : 0;
    pair s = sine_kernel(r), c = cosine_kernel(r);
    pair minus_s = {-s.high, -s.low}, minus_c = {-c.high, -c.low};
    const pair sines[4] = {s, c, minus_s, minus_c}, cosines[4] = {c, minus_s, minus_c, s};
    *sine = sines[quadrant];
    *cosine = cosines[quadrant];
    if (x < 0.0) {
        *sine = (pair){-sine->high, -sine->low};
    }
}

/* Below this size sin(x) = tan(x) = asin(x) = atan(x) = x to half an ulp; it also keeps -0 and subnormal numbers. */
static const double tiny_angle = 0x1p-28;

void rps_sincos(double x, double *sine, double *cosine) {
    if (!is_finite(x)) {
        *sine = *cosine = x - x; /* NaN */
        return;
    }
    if (fabs(x) < tiny_angle) {
        *sine = x;
        *cosine = 1.0;
        return;
    }
    pair s, c;
    sincos_pairs(x, &s, &c);
    *sine = s.high;
    *cosine = c.high;
}

double rps_sin(double x) {
    double s, c;
    rps_sincos(x, &s, &c);
    return s;
}

double rps_cos(double x) {
    double s, c;
    rps_sincos(x, &s, &c);
    return c;
}

double rps_tan(double x) {
    if (!is_finite(x)) {
        return x - x;
    }
    if (fabs(x) < tiny_angle) {
        return x;
    }
    pair s, c;
    sincos_pairs(x, &s, &c);
    return pair_div(s, c).high;
}

double rps_tan_over_x_full(double x2) {
    if (x2 <= RPS_TAN_OVER_X_X2_MAX) {
        return rps_tan_over_x_small(x2);
    }
    double x = sqrt(x2);
    return rps_tan(x) / x;
}

/* ---- inverse tangent and sine ------------------------------------------------------------------------------------ */

/* atan(k/16), k = 2 .. 16. */
static const pair atan_table[] = {
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59}, {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},  {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56}, {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},  {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58}, {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},  {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56}, {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan of a pair in [0, 1]: with c = k/16 nearest, atan(q) = atan(c) + atan((q - c)/(1 + q c)). */
static pair atan_kernel(pair q) {
    int k = (int)(16.0 * q.high + 0.5);
    pair base = {0.0, 0.0};
    pair t = q;
    if (k >= 2) {
        double c = 0.0625 * k;
        base = atan_table[k - 2];
        t = (pair){((q.high - c) + q.low) / (1.0 + q.high * c), 0.0};
    }
    double z = t.high * t.high; /* up to (3/32)^2 */
    double p = 1.0 / 17.0;
    p = -1.0 / 15.0 + z * p;
    p = 1.0 / 13.0 + z * p;
    p = -1.0 / 11.0 + z * p;
    p = 1.0 / 9.0 + z * p;
    p = -1.0 / 7.0 + z * p;
    p = 1.0 / 5.0 + z * p;
    p = -1.0 / 3.0 + z * p;
    double small = t.low + t.high * (z * p);
    if (k < 2) {
        return fast_sum(t.high, small);
    }
    pair s = fast_sum(base.high, t.high);
    return fast_sum(s.high, s.low + (base.low + small));
}

/* The angle of (b, a) with a, b >= 0, not both zero, as a pair. */
static pair angle_of_quotient(pair a, pair b) {
    bool steep = a.high > b.high;
    pair q = steep ? pair_div(b, a) : pair_div(a, b);
    pair angle = atan_kernel(q);
    return steep ? pair_add(half_pi, (pair){-angle.high, -angle.low}) : angle;
}

static double with_sign_of(double size, double sign) {
    return from_bits(bits_of(size) | (bits_of(sign) & 0x8000000000000000u));
}

static bool sign_bit(double x) {
    return bits_of(x) >> 63;
}

double rps_atan2(double y, double x) {
    if (x != x || y != y) {
        return x + y;
    }
    double ax = fabs(x), ay = fabs(y);
    bool left = sign_bit(x);
    pair angle;
    if (ay == 0.0) {
        angle = (pair){0.0, 0.0};
    } else if (!is_finite(ax) && !is_finite(ay)) {
        angle = (pair){0.5 * half_pi.high, 0.5 * half_pi.low};
    } else if (ay > ax * 0x1p60 || !is_finite(ay)) {
        /* So steep that the rest is at most 2^-60: x/y tells half_pi.high from the doubles beside it no more. */
        return with_sign_of(half_pi.high, y);
    } else if (ay < ax * 0x1p-60) {
        if (!left) {
            return y / x;
        }
        angle = (pair){0.0, 0.0};
    } else {
        /* The quotient is within 2^60 of 1; bring both to where products are exact. */
        double scale = 1.0;
        if (ax > 0x1p400 || ay > 0x1p400) {
            scale = 0x1p-500;
        } else if (ax < 0x1p-400 || ay < 0x1p-400) {
            scale = 0x1p500;
        }
        angle = angle_of_quotient((pair){scale * ay, 0.0}, (pair){scale * ax, 0.0});
    }
    if (left) {
        angle = pair_add((pair){2.0 * half_pi.high, 2.0 * half_pi.low}, (pair){-angle.high, -angle.low});
    }
    return with_sign_of(angle.high, y);
}

double rps_atan(double x) {
    if (fabs(x) < tiny_angle) {
        return x;
    }
    return rps_atan2(x, 1.0);
}

double rps_asin(double x) {
    double size = fabs(x);
    if (!(size <= 1.0)) {
        return (x - x) / (x - x); /* NaN */
    }
    if (size < tiny_angle) {
        return x;
    }
    /* The angle of (sqrt(1 - x^2), x), the root as a pair. */
    pair square = two_product(size, size);
    pair rest = fast_sum(1.0, -square.high);
    rest = fast_sum(rest.high, rest.low - square.low);
    pair root = {sqrt(rest.high), 0.0};
    if (root.high > 0.0) {
        pair again = two_product(root.high, root.high);
        root.low = (((rest.high - again.high) - again.low) + rest.low) / (2.0 * root.high);
    }
    return with_sign_of(angle_of_quotient((pair){size, 0.0}, root).high, x);
}

double rps_asin_over_x_full(double x2) {
    if (x2 <= RPS_ASIN_OVER_X_X2_MAX) {
        return rps_asin_over_x(x2);
    }
    const double x = sqrt(x2 > 1.0 ? 1.0 : x2);
    return rps_asin(x) / x;
}

double rps_angle_from_tan_half_full(double t) {
    if (fabs(t) <= RPS_ANGLE_TAN_HALF_MAX) {
        return rps_angle_from_tan_half(t);
    }
    return 2.0 * rps_atan(t);
}

void rps_sincos_half_atan_full(double t, double *sine, double *cosine) {
    if (fabs(t) <= RPS_ANGLE_TAN_HALF_MAX) {
        rps_sincos_half_atan(t, sine, cosine);
        return;
    }
    const double u = fabs(t) < 1.0 ? t : 1.0 / t, root = sqrt(1.0 + u * u);
    const double c = fabs(t) < 1.0 ? 1.0 / root : fabs(u) / root; /* of the whole angle */
    const double s = fabs(t) < 1.0 ? t / root : copysign(1.0 / root, t);
    *cosine = sqrt(0.5 * (1.0 + c));
    *sine = 0.5 * s / *cosine;
}

double rps_theta_over_sin_full(double h) {
    const double largest = 1.0 - 0x1p-53;
    if (h > largest) {
        h = largest;
    }
    /* With h' = sin^2(theta/4): theta/sin(theta) at theta is that at theta/2, divided by cos(theta/2). */
    double cosines = 1.0;
    while (h > RPS_THETA_OVER_SIN_H_MAX) {
        double cosine = sqrt(1.0 - h);
        cosines = cosines * cosine;
        h = h / (2.0 * (1.0 + cosine));
    }
    return rps_theta_over_sin(h) / cosines;
}

/* ---- exponential, logarithm, powers ------------------------------------------------------------------------------ */

/* log(2) = head (32 bits, so that multiples up to 2^21 are exact) + tail. */
static const double log2_head = 0x1.62e42fee00000p-1;
static const pair log2_tail = {0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

/* e to the power of a pair. */
static double exp_kernel(pair x) {
    if (x.high > 710.0) {
        return INFINITY;
    }
    if (x.high < -746.0) {
        return 0.0;
    }
    const double magic = 0x1.8p52; /* adding it rounds to a whole number */
    double n = (x.high * 0x1.71547652b82fep+0 + magic) - magic;
    pair r = two_sum(x.high - n * log2_head, x.low - n * log2_tail.high);
    double z = r.high;
    double p = 1.0 / 6227020800.0;
    p = 1.0 / 479001600.0 + z * p;
    p = 1.0 / 39916800.0 + z * p;
    p = 1.0 / 3628800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = 1.0 / 5040.0 + z * p;
    p = 1.0 / 720.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    p = 1.0 / 6.0 + z * p;
    p = 0.5 + z * p;
    pair s = fast_sum(1.0, z);
    double e = s.high + (s.low + (z * z * p + (r.low + r.low * z)));
    int k = (int)n;
    int half = k / 2; /* in two steps: 2^k alone may leave the range where the result does not */
    return e * power_of_two(half) * power_of_two(k - half);
}

double rps_exp(double x) {
    if (x != x) {
        return x;
    }
    return exp_kernel((pair){x, 0.0});
}

/* log(x) as a pair, relative error about 2^-75, for positive finite x. With x = 2^k m, m in [sqrt(1/2), sqrt(2)], and
 * s = (m - 1)/(m + 1): log(m) = 2 s (1 + s^2/3 + s^4/5 + ...), s^2 <= .0295. The last terms weigh less than 2^-25 of
 * the sum and need no pairs. */
static pair log_kernel(double x) {
    int k = 0;
    if (x < 0x1p-1022) {
        x = x * 0x1p54;
        k = -54;
    }
    uint64_t bits = bits_of(x);
    k += (int)(bits >> 52) - 1023;
    double m = from_bits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m = 0.5 * m;
        k++;
    }
    pair s = pair_div((pair){m - 1.0, 0.0}, two_sum(m, 1.0));
    pair z = pair_mul(s, s);
    double t = 1.0 / 27.0;
    for (int n = 25; n >= 11; n -= 2) {
        t = 1.0 / n + z.high * t;
    }
    pair p = pair_add((pair){0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58}, two_product(z.high, t));
    p = pair_add((pair){0x1.2492492492492p-3, 0x1.2492492492492p-57}, pair_mul(z, p));
    p = pair_add((pair){0x1.999999999999ap-3, -0x1.999999999999ap-57}, pair_mul(z, p));
    p = pair_add((pair){0x1.5555555555555p-2, 0x1.5555555555555p-56}, pair_mul(z, p));
    pair twice = {2.0 * s.high, 2.0 * s.low};
    pair sum = pair_add(twice, pair_mul(twice, pair_mul(z, p)));
    if (k != 0) {
        pair tail = two_product(k, log2_tail.high);
        tail.low += k * log2_tail.low;
        sum = pair_add((pair){k * log2_head, 0.0}, pair_add(tail, sum));
    }
    return sum;
}

double rps_log(double x) {
    if (!(x > 0.0)) {
        return x == 0.0 ? -INFINITY : NAN;
    }
    return is_finite(x) ? log_kernel(x).high : x;
}

/* 0 if y is no whole number, 1 if odd, 2 if even. */
static int parity(double y) {
    if (!(fabs(y) < 0x1p53)) {
        return 2;
    }
    int64_t whole = (int64_t)y;
    if ((double)whole != y) {
        return 0;
    }
    return whole & 1 ? 1 : 2;
}

double rps_pow(double x, double y) {
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (x != x || y != y) {
        return x + y;
    }
    double size = fabs(x);
    if (!is_finite(y)) {
        if (size == 1.0) {
            return 1.0;
        }
        return (size > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    }
    int whole = parity(y);
    double sign = sign_bit(x) && whole == 1 ? -1.0 : 1.0;
    if (size == 0.0 || !is_finite(size)) {
        return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : INFINITY);
    }
    if (x < 0.0 && whole == 0) {
        return NAN;
    }
    pair l = log_kernel(size);
    double about = y * l.high;
    if (fabs(about) > 800.0) {
        return sign * (about > 0.0 ? INFINITY : 0.0);
    }
    if (fabs(about) < 0x1p-60) {
        return sign; /* and products below stay exact */
    }
    pair product = two_product(y, l.high);
    product.low += y * l.low;
    return sign * exp_kernel(fast_sum(product.high, product.low));
}

double rps_cbrt(double x) {
    if (x == 0.0 || !is_finite(x)) {
        return x;
    }
    double size = fabs(x);
    double root = size < 0x1p-1022 ? rps_cbrt_positive(size * 0x1p54) * 0x1p-18 : rps_cbrt_positive(size);
    return x < 0.0 ? -root : root;
}

/* ---- rotations from angles --------------------------------------------------------------------------------------- */

rps_quat rps_quat_from_axis_angle(rps_vec3 axis, double angle) {
    double s, c;
    rps_sincos(0.5 * angle, &s, &c);
    return (rps_quat){c, s * axis.x, s * axis.y, s * axis.z};
}

rps_quat rps_quat_from_rotation_vector(rps_vec3 v) {
    double angle = rps_vec3_norm(v);
    if (!(angle > 0.0)) {
        return rps_quat_identity();
    }
    return rps_quat_from_axis_angle(rps_vec3_scale(v, 1.0 / angle), angle);
}
