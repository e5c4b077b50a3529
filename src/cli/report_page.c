/* The page of reports as an array of bytes. */
#include "report_page.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* One byte more, so that a build without the page has an array too. */
static const unsigned char report_template[] = {
#include "viewer.inc"
    0};
static const char report_mark[] = "<!--DATA-->";

rps_status report_page_halves(const char **before, size_t *bytes, const char **rest, rps_error *err) {
    const char *begin = (const char *)report_template, *mark = strstr(begin, report_mark);
    if (!mark) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "this build of repose has no page for reports, since npm was missing when it was built; in the "
                        "source tree run tools/install_packages viewer and make again");
    }
    *before = begin;
    *bytes = (size_t)(mark - begin);
    *rest = mark + strlen(report_mark);
    return RPS_OK;
}

rps_status report_page_begin(report_page *page, const char *path, rps_error *err) {
    const char *before = NULL;
    size_t bytes = 0;
    RPS_TRY(report_page_halves(&before, &bytes, &page->rest, err));
    RPS_TRY(rps_replacement_begin(&page->out, path, err));
    rps_replacement_write(&page->out, before, bytes);
    return RPS_OK;
}

void report_page_put(report_page *page, const char *text) {
    rps_replacement_write(&page->out, text, strlen(text));
}

/* Where the path that begins at `at` has its name; `at` if no path begins there. Absolute paths, those that climb, and the path of
 * the scene lose their folders: they belong to the machine. */
static const char *report_file_name(const char *start, const char *at) {
    static const char member[] = "\"path\": \"";
    const size_t before = (size_t)(at - start), word = strlen(member);
    const bool begins = before == 0 || (!isalnum((unsigned char)at[-1]) && !strchr("/._-~)]*", at[-1]));
    const bool named = isalnum((unsigned char)at[0]) || at[0] == '.' || at[0] == '_';
    const bool absolute = at[0] == '/' && (isalnum((unsigned char)at[1]) || at[1] == '.' || at[1] == '_');
    const bool climbs = strncmp(at, "../", 3) == 0 || strncmp(at, "./", 2) == 0 || strncmp(at, "~/", 2) == 0;
    const bool scene = named && before >= word && strncmp(at - word, member, word) == 0;
    const char *name = at;
    if (!scene && !(begins && (absolute || climbs))) return at;
    for (const char *end = at; *end && !strchr(" \t\"'`,;:\\", *end); end++) {
        if (*end == '/') name = end + 1;
    }
    return name == at + 1 ? at : name; /* a division in a formula */
}

void report_page_put_json(report_page *page, const char *id, const char *json) {
    report_page_put(page, "<script type=\"application/json\" id=\"");
    report_page_put(page, id);
    report_page_put(page, "\">");
    const char *begin = json; /* of what is not yet written */
    for (const char *at = json; *at; at++) {
        const char *name = report_file_name(json, at);
        if (name == at && *at != '<') continue;
        rps_replacement_write(&page->out, begin, (size_t)(at - begin));
        if (*name == '<') report_page_put(page, "\\u003c");
        begin = *name == '<' ? name + 1 : name;
        at = name;
    }
    report_page_put(page, begin);
    report_page_put(page, "</script>\n");
}

rps_status report_page_clean(const char *json, rps_text *out, rps_error *err) {
    for (const char *at = json; *at; at++) {
        at = report_file_name(json, at);
        RPS_TRY(*at == '<' ? rps_text_add(out, "\\u003c", err) : rps_text_add_bytes(out, at, 1, err));
    }
    return RPS_OK;
}

rps_status report_page_end(report_page *page, bool good, rps_error *err) {
    rps_error unused;
    report_page_put(page, page->rest);
    if (!good) page->out.error = page->out.error ? page->out.error : EIO;
    return rps_replacement_end(&page->out, false, good ? err : &unused);
}
