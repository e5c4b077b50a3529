/* Names of the files of a run, and of a sweep, in the directory of its results. */
#ifndef RPS_IO_FILE_NAMES_H
#define RPS_IO_FILE_NAMES_H

#define RPS_FRAMES_FILE "run.h5"
#define RPS_BODIES_XDMF "run.xdmf"
#define RPS_CONTACTS_XDMF "contacts.xdmf"
#define RPS_SURFACES_XDMF "surfaces.xdmf"
#define RPS_BODIES_VTKHDF "run.vtkhdf"
#define RPS_CONTACTS_VTKHDF "contacts.vtkhdf"
#define RPS_SURFACES_VTKHDF "surfaces.vtkhdf"
#define RPS_VIEW_SCRIPT "view.py"
#define RPS_LOADS_XDMF "loads.xdmf"
#define RPS_LOADS_VTKHDF "loads.vtkhdf"
#define RPS_SERIES_FILE "series.csv"
#define RPS_PROFILES_FILE "profiles.csv"
#define RPS_PROFILES_MEAN_FILE "profiles-mean.csv"
#define RPS_XYZ_FILE "run.xyz"
#define RPS_SUMMARY_FILE "summary.json"
#define RPS_SWEEP_FILE "sweep.json" /* written last */
#define RPS_SWEEP_PLAN "sweep.plan" /* written first */
#define RPS_SWEEP_TABLE "sweep.csv"
#define RPS_SWEEP_RUNS "sweep-runs.csv" /* the runs of a bisection */
#define RPS_SWEEP_PICTURE "sweep.svg"

#endif
