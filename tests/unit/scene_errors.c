/* Broken scenes: each message must give the source location, the line with a caret, and the remedy. */
#include "scene_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char base[] = "repose: 1\n"
                           "title: A ball on the ground\n"
                           "gravity: {magnitude: 9.8 m/s^2, tilt: 35 deg, about: y}\n"
                           "materials:\n"
                           "  rubber: {young: 2 MPa, poisson: 0.3}\n"
                           "  steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}\n"
                           "pairs:\n"
                           "  - between: [rubber, rubber]\n"
                           "    normal: hertz\n"
                           "    damping: {law: restitution, value: 0.4, tension: cut}\n"
                           "    slide: {law: tracked, static: 0.25, kinetic: 0.2, stiffness: 1e5 N/m}\n"
                           "    roll: {law: tracked, eta: 0.3}\n"
                           "    spin: none\n"
                           "bodies:\n"
                           "  - name: ground\n"
                           "    shape: {plane: {normal: [0, 0, 1]}}\n"
                           "    material: rubber\n"
                           "    fixed: true\n"
                           "  - name: ball\n"
                           "    shape: {sphere: {radius: 0.2 m}}\n"
                           "    mass: 5 kg\n"
                           "    material: rubber\n"
                           "    place: {rest on: ground}\n"
                           "    velocity: [-0.5, 0, 0]\n"
                           "run: {step: 1e-4 s, until: 1 s}\n"
                           "probes:\n"
                           "  force: {contact: [ground, ball], quantity: slide_force}\n"
                           "  mode: {contact: [ground, ball], quantity: slide_mode}\n"
                           "checks:\n"
                           "  - {probe: force, at: 0.02 s, expect: 8 N, within: 1 %}\n"
                           "variants:\n"
                           "  paper: {set: {run.step: 1e-5 s}}\n";

static const struct {
    const char *find, *by; /* an edit of the scene above */
    const char *at;        /* where in the edited text the caret points */
    const char *part;      /* of the message */
} broken[] = {
    {"repose: 1\n", "", "title: A", "the key `repose` is missing"},
    {"repose: 1\n", "repose: 2\n", "2\ntitle", "`repose` must lie from 1 to 1"},
    {"title:", "titel:", "titel", "did you mean `title`?"},
    {"gravity: {magnitude: 9.8 m/s^2, tilt: 35 deg, about: y}\n", "", "repose: 1", "the key `gravity` is missing"},
    {"{magnitude: 9.8 m/s^2, tilt: 35 deg, about: y}", "9.81", "9.81", "a list of 3"},
    {"{magnitude: 9.8 m/s^2, tilt: 35 deg, about: y}", "[0, -9.81]", "[0, -9.81]", "has 2 values"},
    {"magnitude: 9.8 m/s^2", "magnitude: 9.8 m/s", "9.8 m/s", "an acceleration, such as 9.81 m/s^2"},
    {"magnitude: 9.8 m/s^2, ", "", "{tilt", "the key `magnitude` is missing in `gravity`"},
    {"35 deg", "0.7 %", "0.7 %", "is a pure number"},
    {"about: y", "about: z", "z}", "one of x, y"},
    {"young: 2 MPa", "young: -2 MPa", "-2 MPa", "`young` must be above 0"},
    {"young: 2 MPa", "young: 2 Mpa", "2 Mpa", "did you mean `MPa`, or `mPa`?"},
    {"poisson: 0.3}", "poisson: 0.6}", "0.6", "from -1 to 0.5, not 0.6"},
    {"poisson: 0.3}", "poison: 0.3}", "poison", "did you mean `poisson`?"},
    {"poisson: 0.3}", "poisson: }", "poisson: }", "has no value"},
    {"  rubber: {young", "  2rubber: {young", "2rubber", "a name begins with a letter"},
    {"[rubber, rubber]", "[rubber, ruber]", "ruber]", "did you mean `rubber`?"},
    {"[rubber, rubber]", "[rubber]", "[rubber]", "has 1 items, not 2"},
    {"[rubber, rubber]", "rubber", "rubber\n    normal", "a list of 2"},
    {"normal: hertz", "normal: herz", "herz", "did you mean `hertz`?"},
    {"normal: hertz", "normal: Hertz/Material", "Hertz/Material", "`hertz/material` of LAMMPS is `hertz` here"},
    {"normal: hertz", "normal: none", "none\n    damping", "there is no normal law `none`"},
    {"normal: hertz", "normal: {effective_modulus: 1 MPa}", "{effective", "the key `law` is missing"},
    {"normal: hertz", "normal: [hertz]", "[hertz]", "the name of a law"},
    {"    spin: none\n", "", "between", "the key `spin` is missing"},
    {"spin: none", "spin: non", "non\n", "did you mean `none`?"},
    {"law: restitution, value: 0.4", "law: restitution, valu: 0.4", "valu", "did you mean `value`?"},
    {"law: restitution, value: 0.4", "law: restitution, value: 0", "between", "springs give back some of the energy"},
    {"title: A ball on the ground", "extends: other.yaml", "extends", "by `include`"},
    {"value: 0.4", "value: 1.4", "1.4", "from 0 to 1, not 1.4"},
    {"value: 0.4", "value: 40 deg", "40 deg", "is an angle"},
    {"tension: cut", "tension: cat", "cat", "one of cut|allow"},
    {"static: 0.25", "static: 0.15", "between", "static"},
    {"static: 0.25", "static: -0.25", "-0.25", "`static` must lie"},
    {"stiffness: 1e5 N/m", "stiffness: 1e5 N", "1e5 N}", "a stiffness, such as 1e5 N/m"},
    {"stiffness: 1e5 N/m", "stiffness: 0", "0}\n    roll", "must be above 0"},
    {"slide: {law: tracked,", "slide: {law: tracked, eta: 1,", "eta: 1", "the slide law `tracked` takes no `eta`"},
    {"eta: 0.3", "eta: 0.3, eta: 0.4", "eta: 0.4", "a second time"},
    {"    spin: none\n", "    spin: none\n    form: papr\n", "papr", "did you mean `paper`?"},
    {"    spin: none\n", "    spin: none\n    history: shard\n", "shard", "did you mean `shared`?"},
    {"name: ball", "name: ground", "ground\n    shape: {sphere", "the name `ground` is taken"},
    {"{sphere: {radius: 0.2 m}}", "{sphere: {radius: 0.2 m}, plane: {normal: [0, 0, 1]}}",
     "plane: {normal: [0, 0, 1]}}\n    mass", "exactly one of: sphere, plane"},
    {"{sphere: {radius: 0.2 m}}", "{spere: {radius: 0.2 m}}", "spere", "did you mean `sphere`?"},
    {"radius: 0.2 m", "radius: 0.2 kg", "0.2 kg", "a length, such as 22.5 mm"},
    {"radius: 0.2 m", "radius: 0", "0}}\n    mass", "`radius` must be above 0"},
    {"mass: 5 kg", "mass: -5 kg", "-5 kg", "`mass` must be above 0"},
    {"    mass: 5 kg\n", "", "{rest on", "the weight is unknown"},
    {"mass: 5 kg\n    material: rubber", "mass: 5 kg\n    material: stel", "stel", "did you mean `steel`?"},
    {"fixed: true", "fixed: yes", "yes", "true or false"},
    {"fixed: true", "fixed: true\n    drive: {velocity: [1, 0, 0]}", "{velocity: [1", "fixed or driven, not both"},
    {"{rest on: ground}", "{rest on: grund}", "grund", "did you mean `ground`?"},
    {"{rest on: ground}", "{touch: ground, rest on: ground}", "ground, rest", "not both"},
    {"{rest on: ground}", "{above: [0, 0, 1]}", "{above", "needs `at`, `rest on` or `touch`"},
    {"{rest on: ground}", "{at: [0, 0, 0.1]}", "name: ball", "overlap by 0.5 of the smaller radius"},
    {"{rest on: ground}", "{rest on: ground, load: 3 m}", "3 m}", "a force"},
    {"place: {rest on: ground}", "place: {rest on: ground}\n    position: [0, 0, 1]", "{rest on", "not both"},
    {"velocity: [-0.5, 0, 0]", "velocity: [-0.5, 0]", "[-0.5, 0]", "has 2 values"},
    {"velocity: [-0.5, 0, 0]", "velocity: [-0.5, x, 0]", "x, 0]", "is no number"},
    {"velocity: [-0.5, 0, 0]", "velocity: [-0.5, 0 m, 0]", "0 m, 0]", "a velocity"},
    {"step: 1e-4 s", "step: 1e-4 m", "1e-4 m", "a time, such as 1e-4 s"},
    {"step: 1e-4 s", "step: atuo", "atuo", "did you mean `auto`?"},
    {"step: 1e-4 s", "step: 2 s", "2 s", "longer than the run"},
    {"step: 1e-4 s", "step: 1e-320 s", "1e-320 s", "choose a longer step"},
    {"until: 1 s", "until: 1e-320 s", "1e-320 s", "choose a longer run"},
    {"step: 1e-4 s", "step: 1e-320 us", "1e-320 us", "is too small: it is 0 s"},
    {"step: 1e-4 s", "step: 0", "0, until", "`step` must be above 0"},
    {", until: 1 s", "", "{step", "the key `until` is missing in `run`"},
    {"run: {step", "run: {stepper: nonsmoth, step", "nonsmoth", "did you mean `nonsmooth`?"},
    {"run: {step", "run: {stepper: nonsmooth, cone: convx, step", "convx", "did you mean `convex`?"},
    {"run: {step", "run: {stepper: nonsmooth, tolerance: 0, step", "0, step", "`tolerance` must lie"},
    {"run: {step",
     "joints: [{type: hinge, between: [ball, world], point: [0, 0, 0], axis: [0, 0, 0]}]\nrun: {stepper: nonsmooth, "
     "step",
     "{type: hinge", "its axis has no length"},
    {"run: {step", "joints: [{type: hinge, between: [ball, world], axis: [0, 1, 0]}]\nrun: {stepper: nonsmooth, step",
     "{type: hinge", "needs `point`"},
    {"run: {step",
     "joints: [{type: hinge, between: [bal, world], point: [0, 0, 0], axis: [0, 1, 0]}]\nrun: {stepper: nonsmooth, "
     "step",
     "bal,", "did you mean `ball`?"},
    {"run: {step", "joints: [{type: fixed, between: [ball, ball], point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "{type: fixed", "with itself"},
    {"run: {step",
     "joints: [{type: fixed, between: [ground, world], point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "{type: fixed", "neither of what it joins can be moved"},
    {"run: {step", "joints: [{type: fixd, between: [ball, world], point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "fixd", "did you mean `fixed`?"},
    {"run: {step", "joints: [{type: fixed, between: [ball], point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "[ball], point", "has 1 items, not 2"},
    {"run: {step",
     "joints: [{type: fixed, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0]}]\nrun: {stepper: nonsmooth, "
     "step",
     "[1, 0, 0]}", "takes no `axis`"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], friction: 5 N m}]\nrun: {stepper: nonsmooth, "
     "step",
     "5 N m", "a force"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], friction: -5 N}]\nrun: {stepper: nonsmooth, "
     "step",
     "{type: slider", "its friction is -5"},
    {"run: {step",
     "joints: [{type: motor, between: [ball, world], axis: [1, 0, 0], drive: {velocity: 1 m/s, max_load: 5 N "
     "m}}]\nrun: "
     "{stepper: nonsmooth, step",
     "5 N m", "a force"},
    {"run: {step",
     "joints: [{type: motor, between: [ball, world], axis: [1, 0, 0], drive: {velocity: 1 m/s, max_load: 0 N}}]\nrun: "
     "{stepper: nonsmooth, step",
     "{type: motor", "its load_max is 0"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], limits: [-1 deg, 2 m]}]\nrun: {stepper: "
     "nonsmooth, "
     "step",
     "-1 deg", "a length"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], limits: [1 m, 2 m]}]\nrun: {stepper: nonsmooth, "
     "step",
     "{type: slider", "its limits are 1 and 2"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], limits: [none, 2 m], restitution: 2}]\nrun: "
     "{stepper: nonsmooth, step",
     "2}", "must lie from 0 to 1"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0], restitution: 0.5}]\nrun: {stepper: nonsmooth, "
     "step",
     "{type: slider", "and it has none"},
    {"run: {step",
     "joints: [{type: hinge, between: [ball, world], point: [0, 0, 0], axis: [0, 1, 0],\n  spring: {stiffness: "
     "55 N/m}}]\nrun: {stepper: nonsmooth, step",
     "55 N/m", "a stiffness against turning"},
    {"run: {step",
     "joints: [{type: ball, between: [ball, world], point: [0, 0, 0], spring: {stiffness: 5 N/m}}]\nrun: {stepper: "
     "nonsmooth, step",
     "{stiffness", "takes no `spring`"},
    {"run: {step", "joints: [{type: motor, between: [ball, world], axis: [1, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "{type: motor", "needs `drive`"},
    {"run: {step",
     "joints: [{type: motor, between: [ball, world], axis: [1, 0, 0], drive: {frequency: 2 Hz}}]\nrun: {stepper: "
     "nonsmooth, step",
     "{frequency", "says no motion"},
    {"run: {step",
     "joints: [{type: motor, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0],\n  drive: {velocity: 1 m/s, "
     "angular_velocity: 1 rad/s}}]\nrun: {stepper: nonsmooth, step",
     "{velocity", "not both"},
    {"run: {step", "joints: [{type: fixed, point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step", "{type: fixed",
     "needs `between`"},
    {"run: {step",
     "joints: [{type: coupling, between: [ball, world], joints: [a, b], ratio: 1}]\nrun: {stepper: nonsmooth, step",
     "[ball, world]", "it couples two `joints`"},
    {"run: {step",
     "joints: [{type: coupling, joints: [a, b], ratio: 1},\n  {name: a, type: slider, between: [ball, world], axis: "
     "[1, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "a, b]", "is of joints above it"},
    {"run: {step",
     "joints: [{name: a, type: slider, between: [ball, world], axis: [1, 0, 0]},\n  {type: coupling, joints: [a, b], "
     "ratio: 1}]\nrun: {stepper: nonsmooth, step",
     "b], ratio", "there is no joint `b`"},
    {"run: {step",
     "joints: [{name: a, type: slider, between: [ball, world], axis: [1, 0, 0]},\n  {name: b, type: hinge, between: "
     "[ball, world], point: [0, 0, 0], axis: [1, 0, 0]},\n  {type: coupling, joints: [a, b], ratio: 77 s}]\nrun: "
     "{stepper: nonsmooth, step",
     "77 s", "m/rad"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0],\n  spring: {table: [[0, 0], [1 m, 1 N], [33 cm, "
     "2 "
     "N]]}}]\nrun: {stepper: nonsmooth, step",
     "33 cm", "must ascend"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0],\n  spring: {table: [[0, 0]]}}]\nrun: {stepper: "
     "nonsmooth, step",
     "[[0, 0]]", "two rows or more"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0],\n  spring: {table: [[0, 0], [1 m, 5 N "
     "m]]}}]\nrun: "
     "{stepper: nonsmooth, step",
     "5 N m", "a force"},
    {"run: {step",
     "joints: [{type: slider, between: [ball, world], axis: [1, 0, 0],\n  spring: {rest: 1 mm, table: [[0, 0], [1 m, 5 "
     "N]]}}]\nrun: {stepper: nonsmooth, step",
     "{type: slider", "leave out stiffness and rest"},
    {"run: {step",
     "joints: [{type: universal, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0]}]\nrun: {stepper: "
     "nonsmooth, "
     "step",
     "{type: universal", "needs `second_axis`"},
    {"run: {step",
     "joints: [{type: hinge, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0], pitch: 2 mm}]\nrun: {stepper: "
     "nonsmooth, step",
     "2 mm", "is of type `screw`"},
    {"run: {step",
     "joints: [{type: universal, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0], second_axis: [1, 1, 0]}]\n"
     "run: {stepper: nonsmooth, step",
     "{type: universal", "must be perpendicular"},
    {"run: {step",
     "joints: [{type: cylindrical, between: [ball, world], axis: [1, 0, 0], second: {friction: 7 N}}]\nrun: {stepper: "
     "nonsmooth, step",
     "7 N", "a torque"},
    {"run: {step",
     "joints: [{type: cylindrical, between: [ball, world], axis: [1, 0, 0], third: {friction: 7 N}}]\nrun: {stepper: "
     "nonsmooth, step",
     "{friction", "takes no `third`"},
    {"run: {step: 1e-4 s, until: 1 s}\nprobes:\n",
     "joints: [{name: a, type: hinge, between: [ball, world], point: [0, 0, 0], axis: [1, 0, 0]}]\nrun: {stepper: "
     "nonsmooth, step: 1e-4 s, until: 1 s}\nprobes:\n  t: {joint: a, quantity: second_angle}\n",
     "second_angle", "ask for it of a universal joint"},
    {"run: {step",
     "joints: [{type: distance, between: [ball, world], point: [0, 0, 1]}]\nrun: {stepper: nonsmooth, step",
     "[0, 0, 1]}]", "two `points`"},
    {"run: {step",
     "joints: [{name: a, type: ball, between: [ball, world], point: [0, 0, 0]},\n  {name: a, type: fixed, between: "
     "[ball, "
     "world], point: [0, 0, 0]}]\nrun: {stepper: nonsmooth, step",
     "{name: a, type: fixed", "of that name already"},
    {"run: {step: 1e-4 s, until: 1 s}\nprobes:\n",
     "joints: [{name: a, type: slider, between: [ball, world], axis: [1, 0, 0]}]\nrun: {stepper: nonsmooth, step: 1e-4 "
     "s, until: 1 s}\nprobes:\n  t: {joint: a, quantity: angle}\n",
     "angle}", "ask for `displacement` or `speed`"},
    {"run: {step: 1e-4 s, until: 1 s}\nprobes:\n",
     "run: {stepper: nonsmooth, step: 1e-4 s, until: 1 s}\nprobes:\n  t: {joint: b, quantity: angle}\n", "b, quantity",
     "there is no joint `b`"},
    {"run: {step", "run: {stepper: nonsmooth, recovery_speed: -1 m/s, step", "-1 m/s", "`recovery_speed` must"},
    {"run: {step", "run: {integrator: verle, step", "verle", "did you mean `verlet`?"},
    {"run: {step", "run: {threads: 2.5, step", "2.5", "a whole number"},
    {"run: {step", "run: {seed: -1, step", "-1", "`seed` must lie"},
    {"quantity: slide_force", "quantity: slide_fore", "slide_fore", "did you mean `slide_force`?"},
    {"quantity: slide_force", "quantity: speed", "speed", "it is a quantity of a body"},
    {"[ground, ball], quantity: slide_force", "[ground, bal], quantity: slide_force", "bal]", "did you mean `ball`?"},
    {"[ground, ball], quantity: slide_force", "[ball, ball], quantity: slide_force", "[ball, ball]", "two different"},
    {"probe: force", "probe: forc", "forc,", "did you mean `force`?"},
    {"at: 0.02 s", "at: 2 s", "2 s, expect", "after the end of the run"},
    {"at: 0.02 s, ", "", "{probe", "does not say when"},
    {"at: 0.02 s", "at: 0.02 s, final: true", "true, expect", "takes one of"},
    {"expect: 8 N", "expect: 8 J", "8 J", "a force, such as 12 N"},
    {"expect: 8 N, ", "", "{probe", "takes `expect`"},
    {"until: 1 s}\nprobes:\n", "until: 1 s, ledger: false}\nprobes:\n  lost: {quantity: residual}\n", "residual",
     "set `ledger: true`"},
    {"until: 1 s}\nprobes:\n", "until: 1 s, ledger: false}\nprobes:\n  calm: {quantity: kinetic_over_elastic}\n",
     "kinetic_over_elastic", "set `ledger: true`"},
    {"within: 1 %", "within: 1 s", "1 s}\nvar", "or a part of the expected value"},
    {"within: 1 %", "within: 1 %, variant: pape", "pape}", "did you mean `paper`?"},
    {"within: 1 %", "within: 1 %, after: 0.1 s", "0.1 s", "belongs to becomes"},
    {"probe: force, at", "probe: mode, becomes: stuck, after", "stuck", "is no number"},
    {"  - between", "  - between: [steel, rubber]\n    between", "between: [rubber", "a second time"},
    {"title: A ball", "x: y\ntitle: A ball", "x: y", "unknown key `x`"},
    {"title: A ball on the ground", "title: 'A ball", "'A ball", "this is not valid YAML"},
    {"bodies:\n", "bodies: {}\nbodes:\n", "{}\nbodes", "`bodies` cannot be a map"},
    {"materials:\n", "materials: &m\n  loop: *m\n", "*m", "inside of what it names"},
    {"materials:\n", "materials:\n  <<: *nothing\n", "*nothing", "no anchor &nothing"},
    /* materials and pairs */
    {"young: 2 MPa, poisson: 0.3}", "poisson: 0.3}", "between", "young"},
    {"young: 2 MPa", "young: 2 MPa, young: 3 MPa", "young: 3", "a second time"},
    {"density: 7800 kg/m^3", "density: 7800 kg/m^2", "7800 kg/m^2", "a density"},
    {"young: 2 MPa", "young: .inf", ".inf", "is no number"},
    {"young: 2 MPa", "young: 1e999 Pa", "1e999", "overflows"},
    {"young: 2 MPa", "young: [2 MPa]", "[2 MPa]", "`young` cannot be a list"},
    {"materials:\n  rubber", "materials: {}\nmaterial:\n  rubber", "{}", "`materials` is empty"},
    {"    material: rubber\n    fixed", "    material: steel\n    fixed", "{rest on", "add the pair to `pairs`"},
    {"    material: rubber\n    place: {rest on: ground}", "    material: steel\n    position: [0, 0, 1]", "name: ball",
     "mass is 5 kg, but the density"},
    {"    damping: {law: restitution, value: 0.4, tension: cut}\n", "", "between", "the key `damping` is missing"},
    {"{law: restitution, value: 0.4, tension: cut}", "{law: restitution}", "between", "value"},
    {"normal: hertz", "normal: {law: hooke}", "between", "stiffness"},
    {"normal: hertz", "normal: {law: imposed}", "between", "load"},
    {"normal: hertz", "slide: hertz", "slide: {law", "a second time"},
    {"slide: {law: tracked,", "slide: {law: none,", "static: 0.25", "`none` takes no"},
    {"eta: 0.3", "eta: -0.3", "-0.3", "`eta`"},
    {"eta: 0.3", "eta: 0.3 m", "0.3 m", "a pure number"},
    {"    spin: none\n", "    spin: {law: tracked}\n", "between", "curvature"},
    {"    spin: none\n", "    spin: none\n    form: {path: comon}\n", "comon", "did you mean `common`?"},
    /* bodies */
    {"    mass: 5 kg\n    material: rubber\n    place: {rest on: ground}",
     "    material: steel\n    position: [0, 0, 1]", "- between", "the pair of materials"},
    {"    shape: {sphere: {radius: 0.2 m}}\n", "", "name: ball", "the key `shape` is missing"},
    {"{plane: {normal: [0, 0, 1]}}", "{plane: {normal: [0, 0, 0]}}", "name: ground", "the normal of a plane is zero"},
    {"    fixed: true\n", "", "name: ground", "a plane"},
    {"    fixed: true\n", "    fixed: true\n    velocity: [1, 0, 0]\n", "name: ground", "prescribe motion by a drive"},
    {"    fixed: true\n", "    drive: {}\n", "{}", "at least one of"},
    {"    fixed: true\n", "    drive: {velocity: [1, 0, 0], from: 2 s, until: 1 s}\n", "1 s}", "ends before it begins"},
    {"velocity: [-0.5, 0, 0]", "velocity: [-0.5, 0, 0]\n    lock_axis: [1, 0, 0]", "name: ball", "lock_axis"},
    {"velocity: [-0.5, 0, 0]", "locked: true\n    angular_velocity: [1, 0, 0]", "name: ball",
     "a locked body cannot turn"},
    {"velocity: [-0.5, 0, 0]", "orientation: [0, 0, 0, 0]", "name: ball", "no quaternion"},
    {"velocity: [-0.5, 0, 0]", "inertia: 0 kg m^2", "0 kg m^2", "`inertia` must be above 0"},
    {"velocity: [-0.5, 0, 0]", "angular_velocity: [1 m/s, 0, 0]", "1 m/s", "an angular velocity"},
    /* the frame: gravity, period, guards */
    {"title:", "periodic: {x: 0.3 m}\ntitle:", "{x: 0.3 m}", "the period along x is 0.3 m, but at least 0.4 m"},
    {"title:", "periodic: {z: 10 m}\ntitle:", "name: ground", "the plane's normal has a part along z"},
    {"title:", "periodic: {x: -1 m}\ntitle:", "-1 m", "`x` must be above 0"},
    {"title:", "overlap: -0.1\ntitle:", "-0.1", "`overlap` must not be"},
    {"title:", "guards: {overlp: 0.5}\ntitle:", "overlp", "did you mean `overlap`?"},
    {"title:", "guards: {overlap: waarn}\ntitle:", "waarn", "stop, warn, off"},
    {"title:", "guards: {overlap: 0}\ntitle:", "0}", "`overlap` must be above 0"},
    {"title:", "guards: {rotation: 5 %}\ntitle:", "5 %", "an angle"},
    {"title:", "guards: {domain: [[0, 0, 0], [1, -1, 1]]}\ntitle:", "[[0", "ends before it begins along y"},
    {"title:", "guards: {domain: [[0, 0, 0]]}\ntitle:", "[[0", "has 1 items, not 2"},
    {"title:", "exclude: [[ground, bll]]\ntitle:", "bll", "did you mean `ball`?"},
    {"title:", "exclude: [ground, ball]\ntitle:", "ground, ball]\ntitle", "a list of 2"},
    /* run, output, variants */
    {"run: {step", "run: {safety: 2, step", "2, step", "`safety` must lie from"},
    {"run: {step", "run: {rest: -1, step", "-1", "`rest` must be above 0"},
    {"step: 1e-4 s", "step: 1e-16 s", "1e-16 s", "more than 1e15 steps"},
    {"probes:", "output: {frames: -1 s}\nprobes:", "-1 s", "`frames` must not be"},
    {"probes:", "output: {frame: 1 s}\nprobes:", "frame:", "did you mean `frames`?"},
    {"checks:\n", "checks:\n  - {probe: force, min: [2 s, 1 s], above: 0 N}\n", "[2 s", "ends before it begins"},
    {"checks:\n", "checks:\n  - {probe: force, final: false, above: 0 N}\n", "false", "checks nothing"},
    {"checks:\n", "checks:\n  - {probe: force, final: true, above: 2 N, below: 1 N}\n", "1 N}", "larger than `above`"},
    {"checks:\n", "checks:\n  - {probe: force, always: {}}\n", "{}", "at least one of"},
    {"  paper: {set", "  paper: {sets", "sets", "did you mean `set`?"},
};

static void broken_scenes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        rps_error err;
        char *text = text_replace(base, broken[i].find, broken[i].by);
        scene_refused(text, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, text, broken[i].at, broken[i].part);
        free(text);
    }
}

static void sound_scene(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(base, &world);
    assert_int_equal(rps_world_body_count(world), 2);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Texts that are not scenes; none must crash, hang or exhaust memory. */
static void hostile_texts(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "the scene is empty"},
        {"# nothing\n", "the scene is empty"},
        {"just words", "a scene is a map"},
        {"- a\n- b\n", "a scene is a map"},
        {"a: 1\n---\nb: 2\n", "a second document"},
        {"\tx: 1\n", "this is not valid YAML"},
        {"a: \"\n", "this is not valid YAML"},
        {"a:\n  - 1\n - 2\n", "wrong indentation in sequence"},
        {"a: [1, 2\n", "this is not valid YAML"},
        {"{a: 1", "this is not valid YAML"},
        {"? [a]\n: 1\n", "a key must be a word"},
        {"a: \001", "byte 0x01"},
        {"a: \377\376", "in UTF-8"},
        {"\177ELF\002\001\001", "byte"},
        {"a: *b\n", "no anchor &b"},
        {"a: &a {b: *a}\n", "inside of what it names"},
        {"<<: 5\n", "merge key"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rps_error err;
        scene_refused(cases[i].text, &err);
        if (!strstr(err.text, cases[i].part)) fail_msg("expected \"%s\" in\n%s", cases[i].part, err.text);
    }
}

static void limits(void **state) {
    enum { BIG = 17 << 20 };
    rps_error err;
    char *text = malloc(BIG + 1);
    (void)state;
    assert_non_null(text);
    memset(text, ' ', BIG);
    text[BIG] = 0;
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "the most is"));
    for (size_t depth = 1000; depth <= 1000000; depth *= 1000) {
        memset(text, '[', depth);
        text[depth] = 0;
        scene_refused(text, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
    }
    char *at = text; /* each line has ten times the line above */
    at += sprintf(at, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int k = 1; k < 12; k++) {
        at += sprintf(at, "a%d: &a%d [", k, k);
        for (int n = 0; n < 10; n++) at += sprintf(at, "%s*a%d", n ? ", " : "", k - 1);
        at += sprintf(at, "]\n");
    }
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "aliases make more than"));
    at = text;
    at += sprintf(at, "a: [");
    for (int k = 0; k < 600000; k++) at += sprintf(at, "%d,", k % 10);
    sprintf(at, "0]\n");
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "put particles into a file"));
    free(text);
}

/* 100 MB of nothing in a file: refused by its size, before it is read. */
static void big_file(void **state) {
    char path[] = "/tmp/repose-big-XXXXXX";
    rps_error err;
    rps_scene *scene;
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, 100 << 20) == 0 && close(file) == 0);
    rps_scene_load_options options = {.path = path, .isa = -1, .threads = 1};
    rps_status status = rps_scene_load(&options, &scene, &err);
    unlink(path);
    assert_int_equal(status, RPS_BAD_INPUT);
    if (!strstr(err.text, path) || !strstr(err.text, "more than 16777216 bytes; put particles into a file"))
        fail_msg("%s", err.text);
}

/* A long line is shown around the caret, not whole. */
static void long_lines(void **state) {
    char text[4096] = "repose: 1\ntitle: ";
    rps_error err;
    (void)state;
    memset(text + strlen(text), 'x', 3000);
    strcat(text,
           "\ngravity: {magnitude: 9.8,                                                                        "
           "                                                                                                tild: 3}");
    scene_refused(text, &err);
    const char *caret = strchr(err.text, '^'), *word = strstr(err.text, "\n    ");
    assert_non_null(strstr(err.text, "unknown key `tild`"));
    assert_non_null(caret);
    assert_non_null(word);
    const char *line = word + 5, *below = strchr(line, '\n') + 5;
    assert_memory_equal(line + (caret - below), "tild", 4);
    assert_true(strchr(line, '\n') - line < 120);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sound_scene),   cmocka_unit_test(broken_scenes),
                                       cmocka_unit_test(hostile_texts), cmocka_unit_test(limits),
                                       cmocka_unit_test(big_file),      cmocka_unit_test(long_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
