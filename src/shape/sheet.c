/* Common to the sheets: feet on surfaces of revolution and on flat ones, bounds, meshes.
 *
 * The distance of a point from a surface of revolution is that in the half plane through the axis and the point. The
 * curvature around the axis is (n . e)/rho, e the direction away from the axis, on the sheet and on its rims alike
 * (Meusnier), so it does not jump where a contact passes a rim. The curvature of the profile is carried on over a rim by
 * the cosine of the turn of the normal, for the same reason. */
#include "shape/sheet.h"

#include "base/elementary.h"

static double part(rps_profile a, rps_profile b) {
    return a.rho * b.rho + a.z * b.z;
}

rps_shape_foot rps_sheet_revolved(rps_vec3 point, const rps_profile_foot *foot) {
    const double rho = sqrt(point.x * point.x + point.y * point.y);
    const double x = rho > 0.0 ? point.x / rho : 1.0, y = rho > 0.0 ? point.y / rho : 0.0;
    const rps_profile to = {rho - foot->point.rho, point.z - foot->point.z};
    const double height = part(to, foot->normal);
    double distance = fabs(height);
    rps_profile n = height < 0.0 ? (rps_profile){-foot->normal.rho, -foot->normal.z} : foot->normal;
    if (foot->rim) {
        distance = sqrt(part(to, to));
        if (distance > 0.0) n = (rps_profile){to.rho / distance, to.z / distance};
    }
    return (rps_shape_foot){
        .point = {foot->point.rho * x, foot->point.rho * y, foot->point.z},
        .normal = {n.rho * x, n.rho * y, n.z},
        .distance = distance,
        .along = {-y, x, 0.0},
        .curvature = {foot->point.rho > 0.0 ? n.rho / foot->point.rho : 0.0, foot->curvature * part(n, foot->normal)},
        .inland = foot->inland,
        .open = foot->inland,
    };
}

rps_shape_foot rps_sheet_segment(rps_vec3 point, rps_profile a, rps_profile b) {
    const rps_profile way = {b.rho - a.rho, b.z - a.z};
    const double length = sqrt(part(way, way));
    const rps_profile t = {way.rho / length, way.z / length};
    const rps_profile from = {sqrt(point.x * point.x + point.y * point.y) - a.rho, point.z - a.z};
    const double along = part(from, t);
    const bool before = along<0.0, after = along> length;
    rps_profile_foot foot = {.normal = {-t.z, t.rho}, .rim = before || after};
    foot.point = before ? a : after ? b : (rps_profile){a.rho + along * t.rho, a.z + along * t.z};
    if (t.rho == 0.0) foot.point.rho = a.rho; /* exact along and across the axis */
    if (t.z == 0.0) foot.point.z = a.z;
    const double to_a = a.rho > 0.0 ? along : INFINITY, to_b = b.rho > 0.0 ? length - along : INFINITY;
    foot.inland = foot.rim ? 0.0 : rps_smaller(to_a, to_b);
    return rps_sheet_revolved(point, &foot);
}

rps_shape_foot rps_sheet_flat(rps_vec3 point, rps_vec3 foot, rps_vec3 normal, double inland) {
    const rps_vec3 to = rps_vec3_sub(point, foot);
    const double height = rps_vec3_dot(to, normal);
    rps_shape_foot out = {.point = foot, .inland = inland, .open = inland, .distance = fabs(height)};
    out.normal = height < 0.0 ? rps_vec3_neg(normal) : normal;
    if (!(inland > 0.0)) {
        out.distance = rps_vec3_norm(to);
        if (out.distance > 0.0) out.normal = rps_vec3_scale(to, 1.0 / out.distance);
    }
    out.along = rps_vec3_any_across(out.normal);
    return out;
}

rps_shape_mass rps_sheet_mass(const double *parameter) {
    (void)parameter;
    return (rps_shape_mass){0.0, {0.0, 0.0, 0.0}};
}

double rps_sheet_width(const double *parameter) {
    (void)parameter;
    return 0.0;
}

int rps_sheet_one(const double *parameter) {
    (void)parameter;
    return 1;
}

void rps_sheet_convex(const double *parameter, double out[2]) {
    (void)parameter;
    out[0] = out[1] = 0.0;
}

rps_shape_bounds rps_sheet_bounds(rps_vec3 (*support)(const double *parameter, rps_vec3 direction),
                                  const double *parameter, const rps_mat3 *rotation) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        const rps_vec3 up = rps_vec3_of(rotation->m[k]), down = rps_vec3_neg(up);
        high[k] = rps_vec3_dot(up, support(parameter, up));
        low[k] = rps_vec3_dot(up, support(parameter, down));
    }
    return (rps_shape_bounds){rps_vec3_of(low), rps_vec3_of(high)};
}

rps_vec3 rps_sheet_circle(double radius, double z, rps_vec3 direction) {
    const double across = rps_larger(fabs(direction.x), fabs(direction.y));
    if (!(across > 0.0)) return rps_vec3_make(radius, 0.0, z);
    const rps_vec3 e = rps_shape_unit(rps_vec3_make(direction.x, direction.y, 0.0));
    return rps_vec3_make(radius * e.x, radius * e.y, z);
}

void rps_sheet_cells(size_t triangles, double ratio, int cells[2]) {
    const double squares = 0.5 * (double)triangles, across = sqrt(squares / ratio);
    const double most = 1e4; /* keeps the numbers of points within 32 bits */
    cells[1] = (int)rps_smaller(rps_larger(across + 0.5, 1.0), most);
    cells[0] = (int)rps_smaller(rps_larger(squares / cells[1] + 0.5, 3.0), most);
}

rps_status rps_sheet_mesh(const double *parameter, int parts, int u_cells, int v_cells, rps_sheet_map map,
                          const rps_allocator *allocator, rps_shape_triangles *out, rps_error *err) {
    const size_t nu = (size_t)u_cells, nv = (size_t)v_cells, own = (nu + 1) * (nv + 1);
    size_t bytes;
    void *block;
    *out = (rps_shape_triangles){.points = (size_t)parts * own, .triangles = (size_t)parts * 2 * nu * nv};
    RPS_TRY(rps_size_of_items(out->points, sizeof *out->point, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    out->point = block;
    rps_status status = rps_size_of_items(out->triangles, sizeof *out->triangle, &bytes, err);
    if (status == RPS_OK) status = rps_memory_alloc(allocator, bytes, &block, err);
    if (status != RPS_OK) {
        rps_memory_release(allocator, out->point, out->points * sizeof *out->point);
        *out = (rps_shape_triangles){0};
        return status;
    }
    out->triangle = block;
    size_t point = 0, triangle = 0;
    for (int p = 0; p < parts; p++) {
        for (size_t i = 0; i <= nu; i++) {
            for (size_t j = 0; j <= nv; j++) {
                const uint32_t a = (uint32_t)point, b = a + (uint32_t)nv + 1;
                rps_vec3_put(out->point[point++], map(parameter, p, (double)i / u_cells, (double)j / v_cells));
                if (i == nu || j == nv) continue;
                const uint32_t corner[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
                for (int h = 0; h < 2; h++, triangle++) {
                    for (int k = 0; k < 3; k++) out->triangle[triangle][k] = corner[h][k];
                }
            }
        }
    }
    return RPS_OK;
}
