/* Copies and removes folders of results by the commands for it. */
#ifndef TESTS_DETERMINISM_SHELL_H
#define TESTS_DETERMINISM_SHELL_H

/* Runs a command, given as printf takes it; the test fails if it does. */
__attribute__((format(printf, 1, 2))) void shell(const char *format, ...);

#endif
