/* The command `repose-mpi`: `repose run` for one world on many processes, started by mpirun. */
#include <mpi.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "spread/spread.h"

static rps_spread_options spread_options;

static rps_status run_spread(const rps_run_options *options, rps_run_summary *summary, rps_error *err) {
    return rps_spread_run(&spread_options, options, summary, err);
}

static void print_mpi_help(FILE *out) {
    fprintf(
        out,
        "usage: mpirun -n N repose-mpi run SCENE [options of `repose run`]\n\n"
        "Runs one scene on N processes, on one or many machines. Results, checkpoints and the state hash are those of\n"
        "`repose run`, to the bit, whatever N is; a run of either goes on by the other with --resume.\n\n"
        "  --owners zoltan|chance   how space is parted: balanced boxes (zoltan), or at random, to test it\n"
        "  --deal-every STEPS       deal bodies to processes again after so many steps at the latest\n"
        "  --counts                 print what was exchanged\n"
        "  --threads N              threads of each process (1)\n\n"
        "All processes must be the same program and see the same files. Not supported, and refused: the nonsmooth\n"
        "stepper, joints, bonds, free bodies of meshes, running surfaces, sheared cells, liquid bridges, heat,\n"
        "forces from outside, driven bodies that enter, recorded loads on surfaces and contact events, loads of a\n"
        "program, --view.\n"
        "docs/cluster.md says how bodies are shared, and what it costs.\n");
}

static int usage(const char *fmt, const char *what) {
    fprintf(stderr, "repose-mpi: ");
    fprintf(stderr, fmt, what);
    fprintf(stderr, "\nMore: repose-mpi --help\n");
    return CLI_USAGE;
}

/* Takes the options of repose-mpi out of argv; the others are those of `repose run`. */
static int take_own(int *argc, char **argv) {
    int kept = 1;
    bool threads = false;
    for (int k = 1; k < *argc; k++) {
        const bool owners = strcmp(argv[k], "--owners") == 0, deal = strcmp(argv[k], "--deal-every") == 0;
        if (strcmp(argv[k], "--counts") == 0) {
            spread_options.counts = true;
        } else if ((owners || deal) && k + 1 == *argc) {
            return usage("%s needs a value", argv[k]);
        } else if (owners) {
            int kind = 0;
            while (kind < RPS_ROUTES && strcmp(argv[k + 1], rps_route_names[kind]) != 0) kind++;
            if (kind == RPS_ROUTES) return usage("--owners is zoltan or chance, not %s", argv[k + 1]);
            spread_options.owners = (rps_route_kind)kind;
            k++;
        } else if (deal) {
            char *end;
            const long long steps = strtoll(argv[k + 1], &end, 10);
            if (*end || steps < 1) return usage("--deal-every is a number of steps, not %s", argv[k + 1]);
            spread_options.deal_every = (uint64_t)steps;
            k++;
        } else {
            threads = threads || strncmp(argv[k], "--threads", 9) == 0;
            if (strcmp(argv[k], "-") == 0)
                return usage("%s: only process 0 has a standard input; name a file", argv[k]);
            if (strncmp(argv[k], "--view", 6) == 0) return usage("%s is not supported with many processes", argv[k]);
            argv[kept++] = argv[k];
        }
    }
    if (!threads && kept > 1) argv[kept++] = "--threads=1";
    argv[kept] = NULL;
    *argc = kept;
    return CLI_OK;
}

/* Only process 0 speaks; the others tell only what ends all. */
static void be_silent(void) {
    const int errors = dup(STDERR_FILENO);
    FILE *told = errors >= 0 ? fdopen(errors, "w") : NULL;
    if (told != NULL && freopen("/dev/null", "w", stderr) != NULL) spread_options.errors = told;
    if (freopen("/dev/null", "w", stdout) == NULL) return;
    signal(SIGINT, SIG_IGN); /* process 0 stops the run */
    signal(SIGTERM, SIG_IGN);
}

static int run_mpi(int argc, char **argv, int rank) {
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        if (rank == 0) print_mpi_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_USAGE : CLI_OK;
    }
    if (strcmp(word, "--version") == 0) {
        if (rank == 0) printf("repose-mpi %s\n", rps_version());
        return CLI_OK;
    }
    if (strcmp(word, "run") != 0) return rank == 0 ? usage("there is no command %s; it is `run`", word) : CLI_USAGE;
    argc--, argv++;
    const int status = take_own(&argc, argv);
    return status != CLI_OK ? status : cli_run_by(&cli_run, argc, argv, rank == 0, run_spread);
}

int main(int argc, char **argv) {
    int level, rank;
    H5dont_atexit();
    cli_wait_politely(argv);
    spread_options.errors = stderr;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    spread_options.comm = MPI_COMM_WORLD;
    char **own = malloc(((size_t)argc + 2) * sizeof *own);
    if (own == NULL) return CLI_FAILED;
    memcpy(own, argv, (size_t)argc * sizeof *own);
    own[argc] = NULL;
    if (rank != 0) be_silent();
    int status = run_mpi(argc, own, rank);
    free(own);
    if (fflush(stdout) != 0 || ferror(stdout)) status = CLI_FAILED;
    MPI_Finalize();
    return status;
}
