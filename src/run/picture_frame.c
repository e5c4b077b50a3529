/* Finds the space that a figure needs for its texts: the ranges of its axes, the numbers beside them, the names in its
 * legend. Widths of texts are estimated from their characters, so that a figure does not depend on the fonts of a
 * machine. */
#include "run/picture_frame.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

static const double LARGEST = 1e307; /* axis limit: gnuplot computes the axis length */

/* --- ranges -------------------------------------------------------------------------------------------------------- */

static void picture_widen(double *low, double *high, double value) {
    if (!isfinite(value)) return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Widens a range that is empty or too narrow for an axis to resolve, and keeps it finite. */
void rps_picture_open_range(double *low, double *high) {
    if (!(*low <= *high)) *low = *high = 0.0;
    const double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low <= 1e-12 * size) {
        *low -= size > 0.0 ? 0.5 * size : 0.5;
        *high += size > 0.0 ? 0.5 * size : 0.5;
    }
    *low = fmax(*low, -LARGEST);
    *high = fmin(*high, LARGEST);
}

/* Edge of cell k of an axis: halfway to the next value; the outer cells are symmetric about their values. */
double rps_picture_edge(const picture_axis *axis, size_t k) {
    const double *v = axis->value;
    size_t n = axis->count;
    if (n == 1) return v[0] + ((double)k - 0.5);
    if (k == 0) return v[0] - 0.5 * (v[1] - v[0]);
    if (k == n) return v[n - 1] + 0.5 * (v[n - 1] - v[n - 2]);
    return 0.5 * (v[k - 1] + v[k]);
}

static void axis_range(const picture_axis *axis, bool cells, double *low, double *high) {
    for (size_t k = 0; k < axis->count; k++) picture_widen(low, high, axis->value[k]);
    if (cells || axis->word) {
        picture_widen(low, high, rps_picture_edge(axis, 0));
        picture_widen(low, high, rps_picture_edge(axis, axis->count));
    }
}

static void range_of_lines(const picture_panel *panel, panel_frame *f) {
    for (size_t k = 0; k < panel->lines; k++) {
        const picture_line *line = &panel->line[k];
        for (size_t i = 0; i < line->count; i++) {
            if (!isfinite(line->x[i]) || !isfinite(line->y[i])) continue;
            picture_widen(&f->low[0], &f->high[0], line->x[i]);
            picture_widen(&f->least, &f->most, line->y[i]);
        }
    }
}

/* Vertical range of a panel that is not a map: its values and the comparison curves, with a margin; or its words. */
static void range_of_values(const picture *p, const picture_panel *panel, panel_frame *f) {
    int words = 0;
    while (panel->kind != RPS_MEASURE_NUMBER && rps_measure_word(panel->kind, words)) words++;
    if (words) {
        f->low[1] = -0.5;
        f->high[1] = words - 0.5;
        return;
    }
    f->low[1] = f->least;
    f->high[1] = f->most;
    for (size_t k = 0; k < p->curves; k++) {
        for (size_t i = 0; i < p->curve[k].points; i++) {
            picture_widen(&f->low[1], &f->high[1], p->curve[k].point[i][1]);
        }
    }
    rps_picture_open_range(&f->low[1], &f->high[1]);
    const double space = 0.06 * (f->high[1] - f->low[1]);
    f->low[1] -= space;
    f->high[1] += space;
}

static void find_ranges(const picture *p, const picture_panel *panel, panel_frame *f) {
    for (int k = 0; k < 2; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
    f->least = INFINITY;
    f->most = -INFINITY;
    if (panel->line) {
        range_of_lines(panel, f);
    } else {
        const size_t values = p->axis[0].count * (p->axes == 2 ? p->axis[1].count : 1);
        for (size_t i = 0; i < values; i++) picture_widen(&f->least, &f->most, panel->value[i]);
        axis_range(&p->axis[0], p->map, &f->low[0], &f->high[0]);
    }
    rps_picture_open_range(&f->low[0], &f->high[0]);
    if (!p->map) {
        range_of_values(p, panel, f);
        return;
    }
    axis_range(&p->axis[1], true, &f->low[1], &f->high[1]);
    rps_picture_open_range(&f->low[1], &f->high[1]);
}

/* Enough digits to distinguish adjacent numbers on an axis. */
int rps_picture_digits(double low, double high) {
    const double ratio = fmax(fabs(low), fabs(high)) / (high - low);
    int digits = 6;
    for (double reach = 1e3; reach < ratio && digits < 15; reach *= 10.0) digits++;
    return digits;
}

/* --- margins ------------------------------------------------------------------------------------------------------- */

/* As fractions of the page width: a mean character, the title of the vertical axis, the sample in the legend, the
 * color scale without its numbers; of a panel's height: the title above, the numbers and the title below. */
static const double CHARACTER = 0.0085, SIDE = 0.06, SAMPLE = 0.085, SCALE = 0.055, ABOVE = 0.09, BELOW = 0.13;
static const double EDGE = 0.025; /* where nothing stands beside a panel */

/* Beyond these, in characters, a text runs out of the page rather than squeezing the panel away. */
enum { LONGEST_TICK = 24, LONGEST_ENTRY = 40 };

static size_t characters(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80; /* UTF-8 continues with 10xxxxxx */
    return n;
}

static size_t longest_word(const char *const *word, size_t count) {
    size_t longest = 0;
    for (size_t k = 0; k < count; k++) longest = characters(word[k]) > longest ? characters(word[k]) : longest;
    return longest;
}

static size_t longest_class(rps_measure_kind kind) {
    size_t longest = 0;
    const char *word;
    for (int k = 0; (word = rps_measure_word(kind, k)); k++) {
        longest = characters(word) > longest ? characters(word) : longest;
    }
    return longest;
}

/* Of the numbers that gnuplot may write along a range: multiples of a decade's tenth. */
static size_t longest_number(double low, double high) {
    const double step = pow(10.0, floor(log10(high - low)) - 1.0);
    const int digits = rps_picture_digits(low, high);
    size_t longest = 1;
    for (int k = 0; k <= 20; k++) {
        char number[64];
        const double at = step * 5.0 * round((low + (high - low) * k / 20.0) / (step * 5.0));
        rps_snprintf(number, sizeof number, "%.*g", digits, at);
        if (isfinite(at) && strlen(number) > longest) longest = strlen(number);
    }
    return longest;
}

static size_t tick_of(const picture *p, const picture_panel *panel, const panel_frame *f) {
    if (p->map && p->axis[1].word) return longest_word(p->axis[1].word, p->axis[1].count);
    if (!p->map && panel->kind != RPS_MEASURE_NUMBER) return longest_class(panel->kind);
    return longest_number(f->low[1], f->high[1]);
}

/* The longest name in the legend; 0 without a legend. */
static size_t frame_entry(const picture *p, const picture_panel *panel) {
    const char *title = p->axes == 2 && !p->map ? p->axis[1].label : "";
    size_t longest = characters(title);
    for (size_t k = 0; k < panel->lines; k++) {
        const size_t n = characters(panel->line[k].label);
        longest = n > longest ? n : longest;
    }
    for (size_t k = 0; k < p->curves; k++) {
        const size_t n = p->curve[k].label ? characters(p->curve[k].label) : 0;
        longest = n > longest ? n : longest;
    }
    if (p->map && panel->kind != RPS_MEASURE_NUMBER) {
        const size_t n = longest_class(panel->kind);
        longest = n > longest ? n : longest;
    }
    if (p->axes == 2 && !p->map) {
        const picture_axis *axis = &p->axis[1];
        const size_t n = axis->word ? longest_word(axis->word, axis->count) : 8;
        longest = n > longest ? n : longest;
    }
    return longest;
}

void rps_picture_frame(const picture *p, size_t number, panel_frame *f) {
    const picture_panel *panel = &p->panel[number];
    const double height = 1.0 / (double)p->panels, from = 1.0 - height * (double)(number + 1);
    const bool titled = p->map || panel->kind != RPS_MEASURE_NUMBER; /* a line of its own above the panel */
    const double lines = (titled ? 1.0 : 0.0) + (number == 0 && *p->title ? 1.0 : 0.0);
    find_ranges(p, panel, f);
    f->bottom = from + BELOW * height;
    f->top = from + (1.0 - (lines > 0.0 ? ABOVE * (lines > 1.0 ? 1.6 : 0.8) : EDGE)) * height;
}

/* One pair for all panels, which thus stand above each other. */
picture_margins rps_picture_margins(const picture *p) {
    size_t tick = 1, entry = 0, shades = 0;
    for (size_t k = 0; k < p->panels; k++) {
        panel_frame f;
        rps_picture_frame(p, k, &f);
        const size_t t = tick_of(p, &p->panel[k], &f), e = frame_entry(p, &p->panel[k]);
        tick = t > tick ? t : tick;
        entry = e > entry ? e : entry;
        if (!p->map || p->panel[k].kind != RPS_MEASURE_NUMBER || !(f.least <= f.most)) continue;
        rps_picture_open_range(&f.least, &f.most);
        const size_t s = longest_number(f.least, f.most);
        shades = s > shades ? s : shades;
    }
    if (tick > LONGEST_TICK) tick = LONGEST_TICK;
    if (entry > LONGEST_ENTRY) entry = LONGEST_ENTRY;
    const double legend = entry > 0 ? SAMPLE + CHARACTER * (double)entry : EDGE;
    const double scale = shades > 0 ? SCALE + CHARACTER * (double)shades : EDGE;
    return (picture_margins){SIDE + CHARACTER * (double)tick, 1.0 - fmax(legend, scale)};
}

/* --- labels -------------------------------------------------------------------------------------------------------- */

/* "^2" becomes a superscript 2, as print has it. */
static void print_unit(const char *unit, char *out, size_t capacity) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t n = 0;
    for (bool up = false; *unit && n + 5 < capacity; unit++) {
        const bool digit = *unit >= '0' && *unit <= '9';
        const bool begins = *unit == '^' && strspn(unit + 1, "-0123456789") > 0;
        up = begins || (up && (digit || *unit == '-'));
        if (begins) continue;
        const char one[2] = {*unit, 0}, *sign = !up ? one : digit ? raised[*unit - '0'] : "⁻";
        memcpy(out + n, sign, strlen(sign));
        n += strlen(sign);
    }
    out[n] = 0;
}

const char *rps_picture_label(rps_pool *pool, const char *name, const char *unit, rps_error *err) {
    char printed[256];
    print_unit(unit, printed, sizeof printed);
    const bool plain = !*unit || strcmp(unit, "1") == 0;
    return plain ? rps_pool_printf(pool, err, "%s", name) : rps_pool_printf(pool, err, "%s [%s]", name, printed);
}
