/* The findings of `repose mesh` in one file, and their form in JSON. */
#ifndef RPS_CLI_MESH_JSON_H
#define RPS_CLI_MESH_JSON_H

#include "cli.h"

#include "io/json.h"
#include "mesh/build_mesh.h"
#include "mesh/hull.h"
#include "mesh/survey.h"

typedef struct cli_mesh_findings {
    const char *path;
    rps_mesh mesh;
    rps_mesh_report report;
    rps_mesh_survey survey;
    rps_hull_sizes hull; /* if it was asked for; mesh, report and survey are then of the hull */
} cli_mesh_findings;

extern const char *const cli_mesh_side_name[]; /* by rps_mesh_side */
extern const char *const cli_mesh_kind_name[]; /* by rps_finding_kind */

/* Principal moments per mass (m^2) of a closed mesh, and the quaternion w x y z of their axes in those of the file. */
void cli_mesh_principal(const rps_mesh *mesh, double moment[3], double axes[4]);

/* Adds an object with lengths in m and angles in rad. unit: of the file. */
void cli_mesh_json(rps_json *json, const char *unit, const cli_mesh_findings *f);

#endif
