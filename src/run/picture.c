/* Writes a figure as a gnuplot script. Ranges and positions are computed here, so that a figure depends only on its
 * numbers and an empty panel is no error. All texts are quoted, and numbers use a decimal point in every locale. */
#include "run/picture.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"
#include "run/gnuplot.h"
#include "run/picture_frame.h"

enum { WIDTH = 900, PANEL_HEIGHT = 520, ENTRIES = 20, MARKED = 60, FEW = 20, LEVELS = 256 };

static const struct {
    const char *name;
    const char *end; /* the last bytes of a complete file */
    size_t end_bytes;
    const char *terminal;
    double width, height; /* of a page with one panel, in terminal units */
} format[] = {
    {"svg", "</svg>\n\n", 8, "svg noenhanced font 'sans-serif,13' background rgb 'white'", WIDTH, PANEL_HEIGHT},
    {"png", "IEND\xae\x42\x60\x82", 8, "pngcairo noenhanced font 'Sans,13' fontscale 1.2 linewidth 1.5 pointscale 1.5",
     1.5 * WIDTH, 1.5 * PANEL_HEIGHT},
    {"pdf", "%%EOF\n", 6, "pdfcairo noenhanced font 'Sans,13' fontscale 0.58", 0.01 * WIDTH, 0.01 * PANEL_HEIGHT}};
enum { FORMATS = sizeof format / sizeof *format };

typedef struct writer {
    const picture *p;
    const picture_panel *panel;
    size_t number; /* of the panel */
    panel_frame f;
    picture_margins m;
    rps_text script;
    const char *comma; /* separator before the next plot element */
    int blocks;        /* of data */
    size_t entries;    /* in the legend */
} writer;

/* Allocation failures are sticky in the text and reported at the end. */
#define ADD(w, ...) rps_text_addf(&(w)->script, NULL, __VA_ARGS__)

static void add_text(writer *w, const char *before, const char *text, const char *after) {
    ADD(w, "%s", before);
    rps_gnuplot_quote(&w->script, text, NULL);
    ADD(w, "%s", after);
}

/* Palette for color-blind readers (Okabe and Ito), with a darker yellow; repeated colors are dashed. */
static const char *color_of(size_t k) {
    static const char *const color[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                        "#56b4e9", "#d55e00", "#b8a800", "#6e6e6e"};
    return color[k % (sizeof color / sizeof *color)];
}

static int dash_of(size_t k) {
    return 1 + (int)(k / 8 % 5);
}

static bool shows_words(const writer *w) {
    return w->panel->kind != RPS_MEASURE_NUMBER;
}

/* --- axes ---------------------------------------------------------------------------------------------------------- */

/* Tick labels of an axis with words. */
static void picture_add_words(writer *w, const char *axis, const picture_axis *words) {
    ADD(w, "set %stics (", axis);
    for (size_t k = 0; k < words->count; k++) {
        add_text(w, k ? ", " : "", words->word[k], "");
        ADD(w, " %.10g", words->value[k]);
    }
    ADD(w, ") noenhanced\n");
}

static void add_measure_words(writer *w) {
    const char *word;
    ADD(w, "set ytics (");
    for (int k = 0; (word = rps_measure_word(w->panel->kind, k)); k++) {
        add_text(w, k ? ", " : "", word, "");
        ADD(w, " %d", k);
    }
    ADD(w, ")\n");
}

static void add_axes(writer *w) {
    const picture *p = w->p;
    const panel_frame *f = &w->f;
    const bool beside = !p->map && !shows_words(w); /* the panel title labels the vertical axis */
    ADD(w, "set lmargin at screen %.6g\nset rmargin at screen %.6g\n", w->m.left, w->m.right);
    ADD(w, "set bmargin at screen %.6g\nset tmargin at screen %.6g\n", f->bottom, f->top);
    ADD(w, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", f->low[0], f->high[0], f->low[1], f->high[1]);
    ADD(w, "set xtics auto\nset ytics auto\n");
    ADD(w, "set format x '%%.%dg'\nset format y '%%.%dg'\n", rps_picture_digits(f->low[0], f->high[0]),
        rps_picture_digits(f->low[1], f->high[1]));
    if (p->axis[0].word) picture_add_words(w, "x", &p->axis[0]);
    if (p->map && p->axis[1].word) picture_add_words(w, "y", &p->axis[1]);
    if (!p->map && shows_words(w)) add_measure_words(w);
    add_text(w, "set xlabel ", p->axis[0].label, "\n");
    add_text(w, "set ylabel ", p->map ? p->axis[1].label : beside ? w->panel->title : "", " offset -1\n");
    add_text(w, "set title ", beside ? "" : w->panel->title, "\n");
    /* Ticks inside would vanish in the colors of a map. */
    ADD(w, p->map ? "set tics out\nset xtics nomirror\nset ytics nomirror\nunset grid\n"
                  : "set tics in\nset xtics mirror\nset ytics mirror\nset grid back lt 1 lc rgb '#dcdcdc' lw 0.6\n");
    ADD(w, "set mxtics 2\nset mytics 2\n");
}

static void add_legend_and_scale(writer *w) {
    const picture *p = w->p;
    const panel_frame *f = &w->f;
    const bool scale = p->map && !shows_words(w);
    const double low = scale ? 0.08 * (double)(p->curves < 8 ? p->curves : 8) : 1.0; /* of the legend under the scale */
    ADD(w, "set key at graph 1.03, %.4g left top Left reverse samplen 2 spacing 1.25 noopaque noautotitle\n", low);
    if (p->axes == 2 && !p->map) {
        add_text(w, "set key title ", p->axis[1].label, " left\n");
    } else {
        ADD(w, "unset key\nset key notitle\n");
    }
    ADD(w, "unset colorbox\n");
    if (!scale || !(f->least <= f->most)) return;
    double least = f->least, most = f->most;
    rps_picture_open_range(&least, &most);
    const double height = f->top - f->bottom;
    ADD(w, "set cbrange [%.17g:%.17g]\n", least, most);
    ADD(w, "set colorbox vertical user origin %.6g, %.6g size 0.02, %.6g\n", w->m.right + 0.02,
        f->bottom + (low + 0.05) * height, (0.95 - low) * height);
}

/* --- plot elements ------------------------------------------------------------------------------------------------- */

static void begin_data(writer *w) {
    ADD(w, "$d%d << EOD\n", ++w->blocks);
}

static void picture_add_number(writer *w, double value, const char *after) {
    if (isfinite(value)) {
        ADD(w, "%.15g%s", value, after);
    } else {
        ADD(w, "NaN%s", after);
    }
}

/* Points in order, one per line: x, y, and y again if the point is isolated, since only a marker makes it visible. */
static void add_points(writer *w, const double *x, const double *y, size_t count, size_t stride) {
    begin_data(w);
    for (size_t i = 0; i < count; i++) {
        const double here = y[i * stride];
        const bool joined =
            (i > 0 && isfinite(y[(i - 1) * stride])) || (i + 1 < count && isfinite(y[(i + 1) * stride]));
        picture_add_number(w, x[i], " ");
        picture_add_number(w, here, " ");
        picture_add_number(w, joined ? NAN : here, "\n");
    }
    ADD(w, "EOD\n");
}

typedef struct rectangle {
    double x[2], y[2], value;
} rectangle;

static void add_rectangle(writer *w, const rectangle *r) {
    ADD(w, "%.10g %.10g %.10g %.10g %.10g %.10g %.10g\n", 0.5 * (r->x[0] + r->x[1]), 0.5 * (r->y[0] + r->y[1]), r->x[0],
        r->x[1], r->y[0], r->y[1], r->value);
}

/* The color level of a cell, or the index of its word; -1 if it has no value. */
static int level_of(const writer *w, size_t i) {
    const double value = w->panel->value[i], least = w->f.least, most = w->f.most;
    if (!isfinite(value)) return -1;
    if (shows_words(w)) return (int)value;
    return most > least ? (int)fmin((value - least) / (most - least) * LEVELS, LEVELS - 1) : 0;
}

/* Merges vertically adjacent cells of one level into rectangles; for words, only cells of word `only`. Returns the
 * count. */
static size_t add_cells(writer *w, int only) {
    const picture *p = w->p;
    const size_t nx = p->axis[0].count, ny = p->axis[1].count;
    size_t count = 0;
    begin_data(w);
    for (size_t i = 0; i < nx; i++) {
        for (size_t j = 0, next; j < ny; j = next) {
            const int level = level_of(w, i * ny + j);
            for (next = j + 1; next < ny && level_of(w, i * ny + next) == level; next++) {}
            if (level < 0 || (only >= 0 && level != only)) continue;
            const double least = w->f.least, step = (w->f.most - least) / LEVELS;
            const rectangle r = {{rps_picture_edge(&p->axis[0], i), rps_picture_edge(&p->axis[0], i + 1)},
                                 {rps_picture_edge(&p->axis[1], j), rps_picture_edge(&p->axis[1], next)},
                                 only >= 0 ? level : least + (level + 0.5) * step};
            add_rectangle(w, &r);
            count++;
        }
    }
    ADD(w, "EOD\n");
    return count;
}

/* The name in the legend, if there is space for it. */
static void add_entry(writer *w, const char *name) {
    if (name && *name && w->entries < ENTRIES) {
        add_text(w, " title ", name, "");
        w->entries++;
    } else {
        ADD(w, " notitle");
    }
}

static void add_item(writer *w, int block, const char *how) {
    ADD(w, "%s $d%d %s", w->comma, block, how);
    w->comma = ", \\\n    ";
}

/* --- panels -------------------------------------------------------------------------------------------------------- */

/* Data precede the command that plots them: blocks are numbered from `first`. */

static void plot_map(writer *w) {
    const char *word;
    const int first = w->blocks + 1;
    size_t count[64] = {0};
    int words = 0;
    if (!shows_words(w)) {
        count[0] = add_cells(w, -1);
        ADD(w, "plot");
        if (count[0]) add_item(w, first, "using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder fc palette notitle");
        return;
    }
    for (; words < 64 && rps_measure_word(w->panel->kind, words); words++) count[words] = add_cells(w, words);
    ADD(w, "plot");
    for (int k = 0; k < words && (word = rps_measure_word(w->panel->kind, k)); k++) {
        if (count[k] == 0) continue;
        add_item(w, first + k, "using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder");
        ADD(w, " fc rgb '%s'", color_of((size_t)k));
        add_entry(w, word);
    }
}

/* A line with markers, in the color of its index. */
static void plot_line(writer *w, int block, size_t color, bool joined, bool marked, const char *name) {
    const char *style = !joined  ? "using 1:2 with points"
                        : marked ? "using 1:2 with linespoints"
                                 : "using 1:2 with lines";
    add_item(w, block, style);
    ADD(w, " lc rgb '%s'", color_of(color));
    if (joined) ADD(w, " lw 2 dt %d", dash_of(color));
    if (!joined || marked) ADD(w, " pt 7 ps 0.5");
    add_entry(w, name);
    if (joined && !marked) {
        add_item(w, block, "using 1:3 with points");
        ADD(w, " lc rgb '%s' pt 7 ps 0.5 notitle", color_of(color));
    }
}

static void plot_curves(writer *w) {
    const picture *p = w->p;
    const size_t n = p->axis[0].count, lines = p->axes == 2 ? p->axis[1].count : 1;
    const int first = w->blocks + 1;
    for (size_t k = 0; k < lines; k++) add_points(w, p->axis[0].value, w->panel->value + k, n, lines);
    ADD(w, "plot");
    for (size_t k = 0; k < lines; k++) {
        char number[64];
        const char *name = number;
        rps_snprintf(number, sizeof number, "%.6g", p->axes == 2 ? p->axis[1].value[k] : 0.0);
        if (p->axes == 2 && p->axis[1].word) name = p->axis[1].word[k];
        plot_line(w, first + (int)k, k, !p->axis[0].word, n <= MARKED, p->axes == 2 ? name : NULL);
    }
}

static void plot_own_lines(writer *w) {
    const int first = w->blocks + 1;
    for (size_t k = 0; k < w->panel->lines; k++) {
        const picture_line *line = &w->panel->line[k];
        add_points(w, line->x, line->y, line->count, 1);
    }
    ADD(w, "plot");
    for (size_t k = 0; k < w->panel->lines; k++) {
        const picture_line *line = &w->panel->line[k];
        plot_line(w, first + (int)k, line->color, true, line->count <= FEW, line->label);
    }
}

/* Black, to distinguish them from computed values. */
static void plot_comparisons(writer *w, int first) {
    for (size_t k = 0; k < w->p->curves; k++) {
        const rps_sweep_curve *c = &w->p->curve[k];
        add_item(w, first + (int)k, c->marks ? "using 1:2 with points" : "using 1:2 with lines");
        ADD(w, c->marks ? " lc rgb 'black' pt 7 ps 0.6" : " lc rgb 'black' lw 2 dt %d", 1 + (int)(k % 4));
        add_entry(w, c->label);
    }
}

static void add_panel(writer *w) {
    const picture *p = w->p;
    const int first = w->blocks + 1;
    w->panel = &p->panel[w->number];
    rps_picture_frame(p, w->number, &w->f);
    w->comma = "";
    w->entries = 0;
    add_axes(w);
    add_legend_and_scale(w);
    for (size_t k = 0; k < p->curves; k++) {
        const rps_sweep_curve *c = &p->curve[k];
        begin_data(w);
        for (size_t i = 0; i < c->points; i++) ADD(w, "%.10g %.10g\n", c->point[i][0], c->point[i][1]);
        ADD(w, "EOD\n");
    }
    if (p->map) {
        plot_map(w);
    } else if (w->panel->line) {
        plot_own_lines(w);
    } else {
        plot_curves(w);
    }
    plot_comparisons(w, first);
    ADD(w, "%s NaN notitle\n", w->comma); /* a plot command must not be empty */
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

/* Format by the ending of the name; SVG by default. */
static int format_of(const char *path) {
    const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
    for (int k = 0; ending && k < FORMATS; k++) {
        if (strcasecmp(ending + 1, format[k].name) == 0) return k;
    }
    return 0;
}

rps_status rps_picture_check_name(const char *path, rps_error *err) {
    const char *name = path ? strrchr(path, '/') : NULL, *ending = path ? strrchr(name ? name : path, '.') : NULL;
    for (int k = 0; ending && k < FORMATS; k++) {
        if (strcasecmp(ending + 1, format[k].name) == 0) return RPS_OK;
    }
    if (ending) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: figures are written as SVG, PNG or PDF, not as %s\nname it %.*s.svg, .png or .pdf", path,
                        ending[1] ? ending + 1 : "a name that ends in a point", (int)(ending - path), path);
    }
    return RPS_OK;
}

static rps_status write_script(const picture *p, int kind, rps_text *script, rps_error *err) {
    writer w = {.p = p, .m = rps_picture_margins(p), .script = *script};
    ADD(&w, "set encoding utf8\nset terminal %s size %.6g,%.6g\n", format[kind].terminal, format[kind].width,
        format[kind].height * (double)p->panels);
    ADD(&w, "set border lw 0.8\nset tics scale 0.7,0.4\nset format cb '%%g'\n");
    ADD(&w, "set palette defined (0 '#440054', 0.25 '#3b528b', 0.5 '#21918c', 0.75 '#5ec962', 1 '#fde725')\n");
    ADD(&w, "set multiplot\n");
    if (*p->title) {
        add_text(&w, "set label 1 ", p->title, "");
        ADD(&w, " at screen %.6g, screen %.6g center font ',15'\n", 0.5 * (w.m.left + w.m.right),
            1.0 - 0.035 / (double)p->panels);
    }
    for (; w.number < p->panels; w.number++) {
        add_panel(&w);
        ADD(&w, "unset label 1\n");
    }
    ADD(&w, "unset multiplot\nexit\n");
    *script = w.script;
    return w.script.status == RPS_OK ? RPS_OK : rps_fail(err, RPS_NO_MEMORY, "no memory for the script of a figure");
}

rps_status rps_picture_write(const picture *p, const char *path, rps_error *err) {
    const int kind = format_of(path);
    rps_text script;
    void *figure = NULL;
    size_t capacity = 0, bytes = 0;
    rps_text_init(&script, NULL, (size_t)1 << 32);
    rps_status status = write_script(p, kind, &script, err);
    if (status == RPS_OK) status = rps_gnuplot_run(&script, &figure, &capacity, &bytes, err);
    const char *end = format[kind].end;
    const size_t end_bytes = format[kind].end_bytes;
    if (status == RPS_OK && (bytes < end_bytes || memcmp((char *)figure + bytes - end_bytes, end, end_bytes) != 0)) {
        status = rps_fail(err, RPS_UNSUPPORTED, "gnuplot, which draws the figures, ended before %s was whole", path);
    }
    if (status == RPS_OK) status = rps_file_replace(path, figure, bytes, err);
    rps_buffer_release(NULL, &figure, &capacity);
    rps_text_release(&script);
    return status;
}
