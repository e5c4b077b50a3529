/*
 * The picture of a sweep, as SVG by PLplot: curves over one parameter, or a map over two, one panel for each measure; and
 * lines through points of their own, such as the series of runs.
 *
 * PLplot keeps process-wide state, prints, and ends the program on errors. So it is used behind one lock and writes into
 * memory; what it would print goes into a buffer, and where it would exit we jump out of it. After such a jump its state is
 * unknown, so that it is not called again in this process.
 *
 * It writes the numbers of an axis in the locale of the thread, and all others in the locale of the process, which it sets
 * to C and back around each of its calls. A jump out of it would leave the process in the C locale.
 */
#include "run/sweep_state.h"

#include <math.h>
#include <plplot.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"

enum {
    WIDTH = 900,
    PANEL_HEIGHT = 520,
    BLACK = 1,
    GREY = 2,
    FIRST_COLOR = 3,
    COLORS = 8,
    LABEL = 256,
    LEVELS = 256,
    DOT = -16
};

/* Parts of the page: width of the window and of the margin at its right, height of the window in its panel. */
static const double WINDOW = 0.60, MARGIN = 0.23, PANEL = 0.71;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of PLplot and of the three below */
static bool broken;
static jmp_buf *way_out;
static char said[4096];

static int on_exit_of_plplot(const char *message) {
    if (way_out) {
        snprintf(said, sizeof said, "%s", message);
        longjmp(*way_out, 1);
    }
    return 1;
}

static void on_abort_of_plplot(const char *message) {
    snprintf(said, sizeof said, "%s", message);
}

/* --- colours ------------------------------------------------------------------------------------------------------- */

/* Told apart by most eyes that see few colours (Okabe and Ito); then black, a grey. */
static const PLINT red[] = {255, 0, 150, 0, 230, 0, 204, 86, 213, 240, 110},
                   green[] = {255, 0, 150, 114, 159, 158, 121, 180, 94, 228, 110},
                   blue[] = {255, 0, 150, 178, 0, 115, 167, 233, 0, 66, 110};

/* Dark blue over green to yellow, evenly growing in lightness. */
static void set_colors(void) {
    PLFLT at[] = {0.0, 0.25, 0.5, 0.75, 1.0}, r[] = {0.27, 0.23, 0.13, 0.37, 0.99}, g[] = {0.0, 0.32, 0.57, 0.79, 0.91},
          b[] = {0.33, 0.55, 0.55, 0.38, 0.14};
    plscmap0(red, green, blue, (PLINT)(sizeof red / sizeof *red));
    plscmap1n(LEVELS);
    plscmap1l(1, 5, at, r, g, b, NULL);
}

static int color(size_t k) {
    return FIRST_COLOR + (int)(k % COLORS);
}

/* --- places and words ---------------------------------------------------------------------------------------------- */

/* "#" begins a command inside PLplot's texts. */
static const char *plain(const char *text, char out[LABEL]) {
    size_t n = 0;
    while (*text) {
        char c[RPS_XML_CHARACTER];
        rps_next_xml_character(&text, c);
        const size_t length = strlen(c), doubled = *c == '#';
        if (n + doubled + length >= LABEL) break;
        if (doubled) out[n++] = '#';
        memcpy(out + n, c, length);
        n += length;
    }
    out[n] = 0;
    return out;
}

typedef struct frame {
    double low[2], high[2]; /* of the window */
} frame;

/* A round mark; `x1`, `y1` are the sizes of a unit of the page in the window. */
static void picture_dot(double x, double y, double x1, double y1) {
    static const double unit[16][2] = {
        {1, 0},  {.924, .383},   {.707, .707},   {.383, .924},   {0, 1},  {-.383, .924}, {-.707, .707}, {-.924, .383},
        {-1, 0}, {-.924, -.383}, {-.707, -.707}, {-.383, -.924}, {0, -1}, {.383, -.924}, {.707, -.707}, {.924, -.383}};
    PLFLT px[16], py[16];
    for (int k = 0; k < 16; k++) {
        px[k] = x + 4.0 * x1 * unit[k][0];
        py[k] = y + 4.0 * y1 * unit[k][1];
    }
    plfill(16, px, py);
}

static void frame_dot(const frame *f, double x, double y) {
    picture_dot(x, y, (f->high[0] - f->low[0]) / (WINDOW * WIDTH), (f->high[1] - f->low[1]) / (PANEL * PANEL_HEIGHT));
}

static void picture_widen(double *low, double *high, double value) {
    if (!isfinite(value)) return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Where cell k of an axis ends: half way to the next, the outer ones as wide inside as outside. */
static double edge(const picture_axis *axis, size_t k) {
    const double *v = axis->value;
    size_t n = axis->count;
    if (n == 1) return v[0] + ((double)k - 0.5);
    if (k == 0) return v[0] - 0.5 * (v[1] - v[0]);
    if (k == n) return v[n - 1] + 0.5 * (v[n - 1] - v[n - 2]);
    return 0.5 * (v[k - 1] + v[k]);
}

static void axis_range(const picture_axis *axis, bool cells, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < axis->count; k++) picture_widen(low, high, axis->value[k]);
    if (cells || axis->word) {
        picture_widen(low, high, edge(axis, 0));
        picture_widen(low, high, edge(axis, axis->count));
    }
    if (!(*low < *high)) {
        *low -= 0.5;
        *high += 0.5;
    }
}

/* The words of an axis in place of numbers. */
static void write_words(const picture_axis *axis, bool along_x, const frame *f) {
    char text[LABEL];
    int k = along_x ? 0 : 1;
    for (size_t i = 0; i < axis->count; i++) {
        double where = (axis->value[i] - f->low[k]) / (f->high[k] - f->low[k]);
        plmtex(along_x ? "b" : "lv", along_x ? 1.5 : 1.0, where, along_x ? 0.5 : 1.0, plain(axis->word[i], text));
    }
}

static void draw_frame(const picture *p, const picture_panel *panel, const frame *f, bool words_y, bool first) {
    char text[LABEL];
    plcol0(BLACK);
    plwidth(1);
    const picture_axis *y = p->map ? &p->axis[1] : NULL;
    bool named = words_y || (y && y->word);
    plbox(p->axis[0].word ? "bc" : "bcnst", 0.0, 0, named ? "bc" : "bcnstv", 0.0, 0);
    if (p->axis[0].word) write_words(&p->axis[0], true, f);
    if (y && y->word) write_words(y, false, f);
    for (int w = 0; words_y && rps_measure_word(panel->kind, w); w++) {
        plmtex("lv", 1.0, (w - f->low[1]) / (f->high[1] - f->low[1]), 1.0, rps_measure_word(panel->kind, w));
    }
    plmtex("b", 3.2, 0.5, 0.5, plain(p->axis[0].label, text));
    if (p->map) {
        plmtex("l", 5.0, 0.5, 0.5, plain(p->axis[1].label, text));
        plmtex("t", 0.8, 0.5, 0.5, plain(panel->title, text));
    } else if (words_y) {
        plmtex("t", 0.8, 0.5, 0.5, plain(panel->title, text));
    } else {
        plmtex("l", 5.0, 0.5, 0.5, plain(panel->title, text));
    }
    if (first) {
        plschr(0.0, 1.15);
        plmtex("t", 2.8, 0.5, 0.5, plain(p->title, text));
        plschr(0.0, 1.0);
    }
}

/* --- legend and colour bar, in the margin at the right ------------------------------------------------------------- */

enum { LINE = 1, MARK = 2, BOX = 4 };

/* One entry at height `row` from above; the window is the margin, [0, 1] wide and 20 rows high. */
static void legend_entry(int row, const char *name, int kind, int c, int style) {
    char text[LABEL];
    PLFLT y = 19.0 - row, x[] = {0.02, 0.14, 0.14, 0.02}, box[] = {y - 0.3, y - 0.3, y + 0.3, y + 0.3};
    plcol0(c);
    if (kind & BOX) plfill(4, x, box);
    pllsty(style);
    plwidth(2);
    if (kind & LINE) pljoin(x[0], y, x[1], y);
    pllsty(1);
    plwidth(1);
    if (kind & MARK) picture_dot(0.08, y, 1.0 / (MARGIN * WIDTH), 20.0 / (PANEL * PANEL_HEIGHT));
    plcol0(BLACK);
    plptex(0.18, y, 1.0, 0.0, 0.0, plain(name, text));
}

static void color_bar(double low, double high) {
    PLFLT x[] = {0.05, 0.15, 0.15, 0.05};
    for (int k = 0; k < 64; k++) {
        PLFLT a = 2.0 + 16.0 * k / 64, b = 2.0 + 16.0 * (k + 1) / 64, y[] = {a, a, b, b};
        plcol1((k + 0.5) / 64);
        plfill(4, x, y);
    }
    plcol0(BLACK);
    for (int k = 0; k <= 4; k++) {
        char text[64];
        rps_snprintf(text, sizeof text, "%.4g", low + (high - low) * k / 4);
        plptex(0.2, 2.0 + 4.0 * k, 1.0, 0.0, 0.0, text);
    }
}

/* Lines of the scene's own: black in a map, grey and dashed among curves. */
static int curve_style(size_t k) {
    return 1 + (int)(k % 3) * (k % 3 == 0 ? 0 : 1);
}

static void draw_margin(const picture *p, const picture_panel *panel, double top, double bottom, double low,
                        double high) {
    int row = 0;
    char text[LABEL];
    plvpor(0.76, 0.99, bottom, top);
    plwind(0.0, 1.0, 0.0, 20.0);
    if (p->map && panel->kind == RPS_MEASURE_NUMBER) {
        if (low <= high) color_bar(low, high);
        row = 19 - (int)p->curves > 17 ? 18 : 19 - (int)p->curves;
    } else if (p->map) {
        for (int w = 0; rps_measure_word(panel->kind, w); w++) {
            bool there = false;
            for (size_t i = 0; i < p->axis[0].count * p->axis[1].count; i++) there = there || panel->value[i] == w;
            if (there) legend_entry(row++, rps_measure_word(panel->kind, w), BOX, color((size_t)w), 1);
        }
    } else if (p->axes == 2) {
        plptex(0.02, 19.0 - row++, 1.0, 0.0, 0.0, plain(p->axis[1].label, text));
        for (size_t k = 0; k < p->axis[1].count && row < 16; k++) {
            char number[64];
            rps_snprintf(number, sizeof number, "%.6g", p->axis[1].value[k]);
            legend_entry(row++, p->axis[1].word ? p->axis[1].word[k] : number, LINE | MARK, color(k), 1);
        }
    }
    for (size_t k = 0; k < panel->lines && row < 20; k++) {
        legend_entry(row++, panel->line[k].label, LINE, color(panel->line[k].color), 1);
    }
    for (size_t k = 0; k < p->curves && row < 20; k++) {
        if (*p->curve[k].label) {
            legend_entry(row++, p->curve[k].label, p->curve[k].marks ? MARK : LINE, BLACK, curve_style(k));
        }
    }
}

/* --- panels -------------------------------------------------------------------------------------------------------- */

static void draw_curves_of_scene(const picture *p, const frame *f) {
    plcol0(BLACK);
    for (size_t k = 0; k < p->curves; k++) {
        const rps_sweep_curve *c = &p->curve[k];
        pllsty(curve_style(k));
        plwidth(2);
        for (size_t i = 0; i < c->points; i++) {
            PLFLT x = c->point[i][0], y = c->point[i][1];
            bool inside = x >= f->low[0] && x <= f->high[0] && y >= f->low[1] && y <= f->high[1];
            if (c->marks && inside) frame_dot(f, x, y);
            if (!c->marks && i > 0) pljoin(c->point[i - 1][0], c->point[i - 1][1], x, y);
        }
        pllsty(1);
        plwidth(1);
    }
}

/* The colour of a cell: of numbers a level, of words an index; -1 where there is none. */
static int cell_color(const picture_panel *panel, size_t i, double low, double high) {
    double value = panel->value[i];
    if (!isfinite(value)) return -1;
    if (panel->kind != RPS_MEASURE_NUMBER) return (int)value;
    return high > low ? (int)fmin((value - low) / (high - low) * LEVELS, LEVELS - 1) : 0;
}

/* Cells of one colour that stand above each other are one rectangle. */
static void draw_cells(const picture *p, const picture_panel *panel, double low, double high) {
    size_t nx = p->axis[0].count, ny = p->axis[1].count;
    for (size_t i = 0; i < nx; i++) {
        for (size_t j = 0, next; j < ny; j = next) {
            int c = cell_color(panel, i * ny + j, low, high);
            for (next = j + 1; next < ny && cell_color(panel, i * ny + next, low, high) == c; next++) {}
            if (c < 0) continue;
            PLFLT a = edge(&p->axis[0], i), b = edge(&p->axis[0], i + 1), y0 = edge(&p->axis[1], j),
                  y1 = edge(&p->axis[1], next);
            PLFLT x[] = {a, b, b, a}, y[] = {y0, y0, y1, y1};
            if (panel->kind == RPS_MEASURE_NUMBER) {
                plcol1((c + 0.5) / LEVELS);
            } else {
                plcol0(color((size_t)c));
            }
            plfill(4, x, y);
        }
    }
}

static void draw_lines(const picture *p, const picture_panel *panel, const frame *f) {
    size_t n = p->axis[0].count, lines = p->axes == 2 ? p->axis[1].count : 1;
    const double *x = p->axis[0].value;
    for (size_t k = 0; k < lines; k++) {
        plcol0(color(k));
        for (size_t i = 0; i < n; i++) {
            PLFLT here = x[i], y = panel->value[i * lines + k], before = i ? panel->value[(i - 1) * lines + k] : NAN;
            plwidth(2);
            if (i > 0 && isfinite(y) && isfinite(before) && !p->axis[0].word) pljoin(x[i - 1], before, here, y);
            plwidth(1);
            if (isfinite(y) && (n <= 60 || !isfinite(before))) frame_dot(f, here, y);
        }
    }
}

/* Unbroken pieces of each line, in one stroke each. */
static void draw_own_lines(const picture_panel *panel) {
    plwidth(2);
    for (size_t k = 0; k < panel->lines; k++) {
        const picture_line *line = &panel->line[k];
        plcol0(color(line->color));
        for (size_t i = 0, next; i < line->count; i = next + 1) {
            for (next = i; next < line->count && isfinite(line->x[next]) && isfinite(line->y[next]); next++) {}
            if (next - i > 1) plline((PLINT)(next - i), line->x + i, line->y + i);
        }
    }
    plwidth(1);
}

static void range_of_lines(const picture_panel *panel, frame *f) {
    for (int k = 0; k < 2; k++) {
        f->low[k] = INFINITY;
        f->high[k] = -INFINITY;
    }
    for (size_t k = 0; k < panel->lines; k++) {
        const picture_line *line = &panel->line[k];
        for (size_t i = 0; i < line->count; i++) {
            if (!isfinite(line->x[i]) || !isfinite(line->y[i])) continue;
            picture_widen(&f->low[0], &f->high[0], line->x[i]);
            picture_widen(&f->low[1], &f->high[1], line->y[i]);
        }
    }
    if (!(f->low[0] < f->high[0])) {
        f->low[0] = f->low[0] <= f->high[0] ? f->low[0] - 0.5 : 0.0;
        f->high[0] = f->low[0] + 1.0;
    }
}

static void draw_panel(const picture *p, size_t number) {
    const picture_panel *panel = &p->panel[number];
    double low = INFINITY, high = -INFINITY, height = 1.0 / (double)p->panels, top = 1.0 - height * (double)number;
    double from = top - height + 0.16 * height, to = top - 0.13 * height;
    size_t values = panel->line ? 0 : p->axis[0].count * (p->axes == 2 ? p->axis[1].count : 1);
    bool words_y = !p->map && panel->kind != RPS_MEASURE_NUMBER;
    frame f;
    for (size_t i = 0; i < values; i++) picture_widen(&low, &high, panel->value[i]);
    if (panel->line) {
        range_of_lines(panel, &f);
        low = f.low[1];
        high = f.high[1];
    } else {
        axis_range(&p->axis[0], p->map, &f.low[0], &f.high[0]);
    }
    if (p->map) {
        axis_range(&p->axis[1], true, &f.low[1], &f.high[1]);
    } else {
        f.low[1] = words_y ? -0.5 : low;
        f.high[1] = words_y ? (panel->kind == RPS_MEASURE_CLASS ? 4.5 : 1.5) : high;
        for (size_t k = 0; k < p->curves && !words_y; k++) {
            for (size_t i = 0; i < p->curve[k].points; i++)
                picture_widen(&f.low[1], &f.high[1], p->curve[k].point[i][1]);
        }
        if (!(f.low[1] <= f.high[1])) f.low[1] = f.high[1] = 0.0; /* not a single value */
        double space = f.high[1] > f.low[1] ? 0.06 * (f.high[1] - f.low[1]) : 0.5 * fabs(f.high[1]) + 1e-300;
        f.low[1] -= words_y ? 0.0 : space;
        f.high[1] += words_y ? 0.0 : space;
    }
    plvpor(0.14, 0.74, from, to);
    plwind(f.low[0], f.high[0], f.low[1], f.high[1]);
    if (p->map) {
        draw_cells(p, panel, low, high);
    } else if (panel->line) {
        draw_own_lines(panel);
    } else {
        draw_lines(p, panel, &f);
    }
    draw_curves_of_scene(p, &f);
    draw_frame(p, panel, &f, words_y, number == 0);
    draw_margin(p, panel, to, from, low, high);
}

static void picture_draw(const picture *p, FILE *file) {
    PLINT code = 0;
    char errors[sizeof said];
    plsError(&code, errors);
    plsdev("svg");
    plsfile(file);
    plspage(0.0, 0.0, WIDTH, (PLINT)(PANEL_HEIGHT * p->panels), 0, 0);
    set_colors();
    plinit();
    plschr(4.0, 1.0);
    pladv(0);
    for (size_t i = 0; i < p->panels; i++) draw_panel(p, i);
    plend(); /* closes the file */
    plsError(NULL, NULL);
}

/* --- PLplot, kept quiet -------------------------------------------------------------------------------------------- */

/* False if PLplot wanted to exit. */
static bool try_to_draw(const picture *p, FILE *file) {
    jmp_buf here;
    if (setjmp(here) != 0) return false;
    way_out = &here;
    plsexit(on_exit_of_plplot);
    plsabort(on_abort_of_plplot);
    picture_draw(p, file);
    return true;
}

/* The same, with both locales as before after it. */
static bool attempt(const picture *p, FILE *file) {
    char numeric[128];
    const char *now = setlocale(LC_NUMERIC, NULL);
    const rps_c_locale inside = rps_c_locale_enter();
    snprintf(numeric, sizeof numeric, "%s", now ? now : "C");
    const bool drawn = try_to_draw(p, file);
    rps_c_locale_leave(inside);
    if (!drawn) setlocale(LC_NUMERIC, numeric);
    return drawn;
}

static rps_status draw_safely(const picture *p, FILE *file, rps_error *err) {
    rps_status status = RPS_OK;
    pthread_mutex_lock(&lock);
    said[0] = 0;
    if (broken) {
        status = rps_fail(err, RPS_INTERNAL, "PLplot failed before in this process and is not called again");
    } else {
        broken = !attempt(p, file);
        way_out = NULL;
    }
    if (status == RPS_OK && (broken || said[0])) {
        status = rps_fail(err, RPS_IO_ERROR,
                          "PLplot cannot draw the picture: %.300s; the table is whole (is PLplot installed with its "
                          "drivers and data?)",
                          said);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* PLplot writes every letter as &#x..; here those of ASCII become themselves, so that a text can be searched for. */
static size_t read_letters(char *text, size_t bytes) {
    size_t to = 0;
    for (size_t from = 0; from < bytes;) {
        unsigned code = 0;
        int length = 0;
        if (text[from] == '&' && sscanf(text + from, "&#x%4x;%n", &code, &length) == 1 && length > 0 && code >= 32 &&
            code < 127 && !strchr("<>&\"'", (int)code)) {
            text[to++] = (char)code;
            from += (size_t)length;
        } else {
            text[to++] = text[from++];
        }
    }
    return to;
}

rps_status rps_picture_check_name(const char *path, rps_error *err) {
    static const char *const other[] = {"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf", "ps", "eps"};
    const char *name = path ? strrchr(path, '/') : NULL, *ending = path ? strrchr(name ? name : path, '.') : NULL;
    for (size_t k = 0; ending && k < sizeof other / sizeof *other; k++) {
        if (strcasecmp(ending + 1, other[k]) != 0) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: pictures are written as SVG, not as %s\nname it %.*s.svg; rsvg-convert, Inkscape or a browser "
            "make other formats of it",
            path, other[k], (int)(ending - path), path);
    }
    return RPS_OK;
}

rps_status rps_picture_write(const picture *p, const char *path, rps_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return rps_fail(err, RPS_NO_MEMORY, "no memory for the picture %s", path);
    rps_status status = draw_safely(p, file, err);
    if (status == RPS_OK) status = rps_file_replace(path, text, read_letters(text, bytes), err);
    free(text);
    return status;
}
