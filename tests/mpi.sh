# Runs of repose-mpi in a suite that has $repose, the command, and $work, its folder; ends a suite where they are impossible.
mpi=$(dirname "$repose")/repose-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "ok 1 # SKIP there is no repose-mpi in this build: run tools/install_packages mpi"
    exit 0
fi

# More processes than cores are no error, and waiting ones give their core away.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
unset OMP_NUM_THREADS
if ! timeout 60 mpirun -n 2 true >/dev/null 2>&1; then
    echo "ok 1 # SKIP mpirun starts no two processes on this machine"
    exit 0
fi
mpi_run() { # processes, arguments of repose-mpi
    local n=$1
    shift
    timeout 200 mpirun -n "$n" "$mpi" "$@" >"$work/out" 2>"$work/err"
}
