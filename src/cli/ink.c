/* Colour on a terminal: errors and failed checks red, warnings yellow, passed checks green. Files and pipes get the same text without it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* NO_COLOR with any value turns colour off (no-color.org), and a dumb terminal cannot show it. */
static bool wants_colour(FILE *out) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) == 1 && !(no && *no) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

void cli_label(FILE *out, cli_ink ink, const char *label) {
    static const char *const begin[] = {[CLI_RED] = "\033[31m", [CLI_YELLOW] = "\033[33m", [CLI_GREEN] = "\033[32m"};
    const bool coloured = wants_colour(out);
    fprintf(out, "%s%s%s", coloured ? begin[ink] : "", label, coloured ? "\033[0m" : "");
}
